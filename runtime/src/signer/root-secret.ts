/**
 * The host's root secret, from which every key of the processor and its deployments is derived.
 * @module
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { readSecretFile } from './secret-file.ts'

/** Name of the file in the state folder, and of the systemd credential that replaces it. */
export const rootSecretName = 'causeway-root-secret'
const secretBytes = 32
const maxFileBytes = 4096

/**
 * Reads the 32-byte root secret: the systemd credential `causeway-root-secret` when there is one,
 * else the file of that name in the state folder, which is created once with mode 0600.
 * @throws Error naming the file when it is not 32 bytes, readable by others or somebody else's.
 */
export function loadRootSecret(stateFolder: string): Uint8Array {
  const credentials = process.env['CREDENTIALS_DIRECTORY']
  const credential = credentials && readIfThere(join(credentials, rootSecretName))
  if (credential) return checked(credential, join(credentials, rootSecretName))
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 })
  const file = join(stateFolder, rootSecretName)
  createOnce(file)
  return checked(readSecretFile(file, maxFileBytes), file)
}

/** Link, not rename: of two daemons that start at once, both must end up with the same secret. */
function createOnce(file: string): void {
  if (existsSync(file)) return
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, randomBytes(secretBytes), { mode: 0o600, flag: 'wx', flush: true })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function checked(secret: Buffer, file: string): Uint8Array {
  if (secret.length === secretBytes) return secret
  throw new Error(`${file}: expected ${secretBytes} bytes, found ${secret.length}`)
}
