/**
 * Gets the passphrase of a sealed root secret; it is never in argv, the environment or a string.
 * @module
 */
import { readCredential } from './credential.ts'
import { readSecretFile } from '../secret-file.ts'
import { openTerminal, type Terminal } from './terminal.ts'

/** Name of the systemd credential that contains the passphrase. */
export const passphraseCredential = 'causeway-root-passphrase'
const maxBytes = 1024
const newline = 0x0a

/**
 * The passphrase from the systemd credential, else from the file; does not ask.
 * @throws Error naming the file and what is wrong with it
 */
export function givenPassphrase(file: string | undefined): Buffer | undefined {
  const credential = readCredential(passphraseCredential)
  if (credential) return withoutNewline(credential.content, credential.path)
  return file === undefined ? undefined : readPassphraseFile(file)
}

/** Reads a passphrase file of mode 0600; one newline at its end is not part of the passphrase. */
export function readPassphraseFile(file: string): Buffer {
  return withoutNewline(readSecretFile(file, { maxBytes }), file)
}

/** Asks on the terminal. @param what the purpose, for the error when there is no terminal */
export function askPassphrase(what: string): Promise<Buffer> {
  return withTerminal(what, (terminal) => terminal.ask('Passphrase of the root secret: '))
}

/** Asks twice for a new passphrase. */
export function askNewPassphrase(what: string): Promise<Buffer> {
  return withTerminal(what, async (terminal) => {
    const first = await terminal.ask('New passphrase: ')
    const second = await terminal.ask('Repeat the new passphrase: ')
    try {
      if (first.length === 0) throw new Error('expected a passphrase, found an empty line')
      if (!first.equals(second)) throw new Error('the two passphrases differ')
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
  return use(terminal).finally(() => terminal.close())
}

function withoutNewline(content: Buffer, path: string): Buffer {
  const passphrase = content.at(-1) === newline ? content.subarray(0, -1) : content
  if (passphrase.length > 0) return passphrase
  throw new Error(`${path}: expected a passphrase, found none`)
}
