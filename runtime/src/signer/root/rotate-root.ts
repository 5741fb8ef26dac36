/**
 * Replaces the root secret by a new one. One rename puts the new one in force. Whatever is sealed
 * under the root is resealed before the rename and moved into place after it, so that a crash at
 * any moment leaves a working state.
 * @module
 */
import { dirname } from 'node:path'
import { rememberRotation } from './known-root.ts'
import { newRootContent, newSecret, type UnlockedRoot } from './open-root.ts'
import { keepOldRoot, replaceRoot } from './root-secret.ts'
import type { RootKeys, SignerBackend } from '../backend.ts'

/** Data sealed under the root secret. Each yield reports one change on disk. */
export interface Resealable {
  /** Reseals the data under the next root secret, into files of its own. May stop at any moment. */
  prepare(old: RootKeys, next: RootKeys): Iterable<string>
  /**
   * Moves files that open under the current root secret into place and removes the others; all data
   * can be opened at every moment.
   * @param old the previous root secret, right after a rotation
   */
  settle(current: RootKeys, old?: RootKeys): Iterable<string>
}

export interface RotationOptions {
  backend: SignerBackend
  /** The current root secret, not a systemd credential; the caller wipes it. */
  root: UnlockedRoot
  /** Passphrase for the new secret; without one it is stored in the clear. */
  passphrase?: Buffer
  /** The data to reseal. */
  resealables: readonly Resealable[]
  now: Date
}

/** Result of a rotation. */
export interface Rotation {
  /** Public key of the account before the rotation; `account` is the one after it. */
  oldAccount: Uint8Array
  account: Uint8Array
  /** File that still has the old secret. */
  oldFile: string
}

/** Rotates the root secret. The caller has the locks. @throws Error; then nothing has changed */
export async function rotateRoot(options: RotationOptions): Promise<Rotation> {
  const steps = rotationSteps(options)
  for (;;) {
    const step = await steps.next()
    if (step.done) return step.value
  }
}

/** Rotates step by step: each yield reports one change on disk. */
export async function* rotationSteps(options: RotationOptions): AsyncGenerator<string, Rotation> {
  const { backend, root, passphrase } = options
  const secret = newSecret()
  const content = await newRootContent(secret, passphrase)
  const old = backend.openRoot(root.secret)
  const next = backend.openRoot(secret)
  secret.fill(0)
  try {
    const oldFile = yield* replace(options, { content, old, next })
    return { oldAccount: old.account, account: next.account, oldFile }
  } finally {
    content.fill(0)
    old.destroy()
    next.destroy()
  }
}

interface Roots {
  /** Content of the new file. */
  content: Buffer
  old: RootKeys
  next: RootKeys
}

function* replace(
  { root, resealables, now }: RotationOptions,
  { content, old, next }: Roots,
): Generator<string, string> {
  const parts: Resealable[] = [rememberRotation(dirname(root.path)), ...resealables]
  for (const part of parts) yield* part.settle(old)
  for (const part of parts) yield* part.prepare(old, next)
  const oldFile = keepOldRoot(root.path, now)
  yield `linked ${oldFile}`
  replaceRoot(root.path, content)
  yield `replaced ${root.path}`
  for (const part of parts) yield* part.settle(next, old)
  return oldFile
}
