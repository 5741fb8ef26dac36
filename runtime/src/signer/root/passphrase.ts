/**
 * The passphrase of a sealed root secret: never from argv or the environment, never a string.
 * @module
 */
import { readCredential } from './credential.ts'
import { readSecretFile } from '../secret-file.ts'
import { openTerminal, type Terminal } from './terminal.ts'

/** Name of the systemd credential with the passphrase. */
export const passphraseCredential = 'causeway-root-passphrase'
const maxBytes = 1024
const newline = 0x0a

/**
 * The passphrase that is there without asking: the systemd credential, else the file.
 * @throws Error naming the file that is not right
 */
export function givenPassphrase(file: string | undefined): Buffer | undefined {
  const credential = readCredential(passphraseCredential)
  if (credential) return withoutNewline(credential.content, credential.path)
  return file === undefined ? undefined : readPassphraseFile(file)
}

/** A file of mode 0600 whose content, without one newline at its end, is the passphrase. */
export function readPassphraseFile(file: string): Buffer {
  return withoutNewline(readSecretFile(file, { maxBytes }), file)
}

/** Asks on the terminal. @param what what it opens, for the message when there is no terminal */
export function askPassphrase(what: string): Promise<Buffer> {
  return withTerminal(what, (terminal) => terminal.ask('Passphrase of the root secret: '))
}

/** Asks twice for a new one. */
export function askNewPassphrase(what: string): Promise<Buffer> {
  return withTerminal(what, async (terminal) => {
    const first = await terminal.ask('New passphrase: ')
    const second = await terminal.ask('The same again: ')
    try {
      if (first.length === 0) throw new Error('expected a passphrase, found an empty line')
      if (!first.equals(second)) throw new Error('the two passphrases are not the same')
      return Buffer.from(first)
    } finally {
      first.fill(0)
      second.fill(0)
    }
  })
}

async function withTerminal(
  what: string,
  use: (terminal: Terminal) => Promise<Buffer>,
): Promise<Buffer> {
  const terminal = openTerminal()
  if (!terminal) throw new Error(`${what}, and there is no terminal to ask on`)
  try {
    return await use(terminal)
  } finally {
    terminal.close()
  }
}

function withoutNewline(content: Buffer, path: string): Buffer {
  const passphrase = content.at(-1) === newline ? content.subarray(0, -1) : content
  if (passphrase.length > 0) return passphrase
  throw new Error(`${path}: expected a passphrase, found none`)
}
