/**
 * A new root secret in the place of the old one. One rename decides which of the two counts; what
 * is sealed under them is ready before it and put in its place after it, so that a crash at any
 * moment leaves a state that works.
 * @module
 */
import { newRootContent, newSecret, type UnlockedRoot } from './open-root.ts'
import { keepOldRoot, replaceRoot } from './root-secret.ts'
import type { RootKeys, SignerBackend } from '../backend.ts'

/** Something that is sealed under the root secret. Each yield tells of a change on disk. */
export interface Resealable {
  /** Seals it under the next root secret, beside what is there. May leave off at any moment. */
  prepare(old: RootKeys, next: RootKeys): Iterable<string>
  /**
   * Puts what opens under the current root secret in its place and drops the rest; what opened
   * before still opens at every moment.
   * @param old the root secret before, right after a rotation
   */
  settle(current: RootKeys, old?: RootKeys): Iterable<string>
}

export interface RotationOptions {
  backend: SignerBackend
  /** Not of a systemd credential; the caller wipes it. */
  root: UnlockedRoot
  /** For the new secret; absent: it is kept in the clear. */
  passphrase?: Buffer
  /** What has to move along. */
  resealables: readonly Resealable[]
  now: Date
}

/** What came out of it. */
export interface Rotation {
  /** Accounts before and after. */
  oldAccount: Uint8Array
  account: Uint8Array
  /** Where the old secret still is. */
  oldFile: string
}

/** Rotates. The caller holds the locks. @throws Error, and then nothing has changed */
export async function rotateRoot(options: RotationOptions): Promise<Rotation> {
  const steps = rotationSteps(options)
  for (;;) {
    const step = await steps.next()
    if (step.done) return step.value
  }
}

/** The same step by step: each yield tells of a change on disk. */
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
  /** Of the new file. */
  content: Buffer
  old: RootKeys
  next: RootKeys
}

function* replace(
  { root, resealables, now }: RotationOptions,
  { content, old, next }: Roots,
): Generator<string, string> {
  for (const part of resealables) yield* part.settle(old)
  for (const part of resealables) yield* part.prepare(old, next)
  const oldFile = keepOldRoot(root.path, now)
  yield `linked ${oldFile}`
  replaceRoot(root.path, content)
  yield `replaced ${root.path}`
  for (const part of resealables) yield* part.settle(next, old)
  return oldFile
}
