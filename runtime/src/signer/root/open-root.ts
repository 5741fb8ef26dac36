/**
 * Opens the host's root keys: finds or creates the root secret, and asks for its passphrase.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { orUndo, orUndoNow } from '@causeway/service/failure'
import { failedIn, inState } from '../../errors/state-fault.ts'
import { checkNoneLost, checkRoot } from './known-root.ts'
import { passphraseCredential, askPassphrase, givenPassphrase } from './passphrase.ts'
import { createRoot, findRoot, type KeptRoot } from './root-secret.ts'
import { isSealed, sealRoot, unsealRoot } from './sealed-root.ts'
import type { RootKeys, SignerBackend } from '../backend.ts'

/** Where the root secret is, and where its passphrase is. */
export interface RootOptions {
  stateFolder: string
  /** Passphrase file; a systemd credential takes precedence. */
  passphraseFile?: string
}

/** A root secret in the clear; wipe it as soon as possible. */
export interface UnlockedRoot extends Pick<KeptRoot, 'place' | 'path'> {
  /** 32 bytes. */
  secret: Buffer
  /** The passphrase, if the root secret is sealed. */
  passphrase?: Buffer
  /** Zeroes secret and passphrase. */
  wipe(): void
}

const secretBytes = 32

/**
 * The host's root keys. The first start creates the secret, and seals it if a passphrase is given.
 * @throws Error naming the file and what was wrong; StartError ROOT_REPLACED for another secret than
 *   the state folder had
 */
export async function openRootKeys({
  backend,
  ...options
}: RootOptions & { backend: SignerBackend }): Promise<RootKeys> {
  const root = await unlockRoot(options).catch(failedIn(options.stateFolder))
  try {
    return openKnown(root, backend, options)
  } finally {
    root.wipe()
  }
}

/** Opens an unlocked root, if it is the one that the state folder had. @throws as `openRootKeys` */
export function openKnown(
  { path, secret }: Pick<UnlockedRoot, 'path' | 'secret'>,
  backend: SignerBackend,
  { stateFolder }: Pick<RootOptions, 'stateFolder'>,
): RootKeys {
  const keys = backend.openRoot(secret)
  orUndoNow(
    () => inState(stateFolder, () => checkRoot(stateFolder, path, keys)),
    () => keys.destroy(),
  )
  return keys
}

/** The root secret itself; the caller wipes it. */
export async function unlockRoot({
  stateFolder,
  passphraseFile,
}: RootOptions): Promise<UnlockedRoot> {
  const given = givenPassphrase(passphraseFile)
  return orUndo(
    async () => unlock(findRoot(stateFolder) ?? (await makeRoot(stateFolder, given)), given),
    () => given?.fill(0),
  )
}

/** The root secret from a file, for changing it. @throws Error when it is a systemd credential */
export async function unlockRootFile(options: RootOptions): Promise<UnlockedRoot> {
  const root = await unlockRoot(options)
  if (root.place === 'file') return root
  root.wipe()
  throw new Error(
    `${root.path}: this root secret is a systemd credential: change it where the service manager gets it from`,
  )
}

/** Content of the root secret's file. */
export async function newRootContent(
  secret: Uint8Array,
  passphrase: Uint8Array | undefined,
): Promise<Buffer> {
  return passphrase ? sealRoot(secret, passphrase) : Buffer.from(secret)
}

/** 32 random bytes, in memory that no other buffer shares. */
export function newSecret(): Buffer {
  return randomBytes(secretBytes)
}

/**
 * Creates a root secret if there is none. Two processes that do so at once get the same one.
 * @throws StartError ROOT_REPLACED when the state folder had one
 */
export async function makeRoot(
  stateFolder: string,
  passphrase: Uint8Array | undefined,
): Promise<KeptRoot> {
  checkNoneLost(stateFolder)
  const secret = newSecret()
  const content = await newRootContent(secret, passphrase)
  try {
    createRoot(stateFolder, content)
  } finally {
    secret.fill(0)
    content.fill(0)
  }
  const made = findRoot(stateFolder)
  if (made) return made
  throw new Error(`${stateFolder}: the root secret was removed while it was being created`)
}

async function unlock(kept: KeptRoot, given: Buffer | undefined): Promise<UnlockedRoot> {
  const { place, path, content } = kept
  if (!isSealed(content)) {
    checkPlain(kept, given)
    return unlocked({ place, path, secret: content })
  }
  const passphrase = given ?? (await askPassphrase(needed(path)))
  const secret = await orUndo(
    () => unsealRoot(path, content, passphrase),
    () => passphrase.fill(0),
  )
  return unlocked({ place, path, secret, passphrase })
}

function unlocked(root: Omit<UnlockedRoot, 'wipe'>): UnlockedRoot {
  const wipe = () => {
    root.secret.fill(0)
    root.passphrase?.fill(0)
  }
  return { ...root, wipe }
}

function checkPlain({ path, content }: KeptRoot, given: Buffer | undefined): void {
  const { length } = content
  if (length !== secretBytes) {
    content.fill(0)
    throw new Error(`${path}: expected ${secretBytes} bytes, found ${length}`)
  }
  if (content.every((byte) => byte === 0)) {
    throw new Error(`${path}: expected a secret, found zeros: restore it from a backup`)
  }
  if (!given) return
  content.fill(0)
  // An operator who gives a passphrase expects the secret to be sealed.
  throw new Error(
    `${path}: a passphrase was given, but this root secret has none; causeway keys passphrase gives it one`,
  )
}

function needed(path: string): string {
  return `${path}: sealed under a passphrase: expected --passphrase-file or the systemd credential ${passphraseCredential}, found neither`
}
