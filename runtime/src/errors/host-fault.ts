/**
 * Tells faults of the host that pass, such as a full disk, from those that stay: what fails by one
 * is worth another try.
 * @module
 */
import { StartError } from './start-error.ts'

const full = ['ENOSPC', 'EDQUOT']
const passing = [...full, 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

// Other programs only say it: mkfs, ip, nft and the launcher. 524 (ENOTSUPP, without a name in libc)
// is the kernel's answer when the host's memory for packet and system call filters is used up.
const said =
  /\b(?:ENOSPC|EDQUOT|EMFILE|ENFILE|EAGAIN|ENOMEM)\b|no space left on device|disk quota exceeded|the disk (?:[^:;]* )?is (?:too )?full|too many open files|resource temporarily unavailable|cannot allocate memory|error 524\b/i

/** Whether an error says that the disk or the user's quota is full. */
export function isFull(error: unknown): boolean {
  return full.includes(codeOf(error))
}

/** Whether an error, or what caused it, is a fault of the host that passes. */
export function passes(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isNamed = error instanceof StartError && error.kind === 'DISK_FULL'
  return (
    isNamed || passing.includes(codeOf(error)) || saysPassing(error.message) || passes(error.cause)
  )
}

/** Whether a program's message is about such a fault. */
export function saysPassing(text: string): boolean {
  return said.test(text)
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
