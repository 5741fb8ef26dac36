/**
 * Starts `signer-memory-child.ts`, and reports when its memory may be searched.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Secret } from './signer-needles.ts'

const script = fileURLToPath(new URL('signer-memory-child.ts', import.meta.url))

export interface ChildSpec {
  action: 'plant' | 'hold' | 'destroy'
  backend: 'native' | 'portable'
  /** The child's six secrets, in its order. */
  secrets: readonly Secret[]
  /** The test's folder, for files. */
  folder: string
  /** File for a snapshot of its heap. */
  snapshot?: string
}

/** Starts the child; resolves when it is done with its action. It ends when disposed. */
export async function memoryChild(spec: ChildSpec): Promise<AsyncDisposable & { pid: number }> {
  const file = join(spec.folder, `${spec.backend}-${spec.action}`)
  writeFileSync(file, Buffer.concat(spec.secrets.map(({ bytes }) => bytes)), { mode: 0o600 })
  const args = [script, spec.action, spec.backend, file, ...(spec.snapshot ? [spec.snapshot] : [])]
  const child = spawn(
    process.execPath,
    ['--conditions=@causeway/source', '--import', 'tsx', ...args],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const closed = once(child, 'close')
  const errors = text(child.stderr)
  const first = once(createInterface({ input: child.stdout }), 'line')
  const failed = errors.then((message) => Promise.reject(new Error(message)))
  await Promise.race([first, failed])
  failed.catch(() => {})
  return {
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await closed
    },
  }
}
