/**
 * Remembers which root secret a state folder has, by the public key of its account. Under another
 * secret every job would run with other keys, and nobody would notice.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere } from '@causeway/service/failure'
import { isFull } from '../../errors/host-fault.ts'
import { StartError } from '../../errors/start-error.ts'
import type { RootKeys } from '../backend.ts'
import { replaceSecretFile } from '../secret-file.ts'
import { hasRoot, rootSecretFile } from './root-secret.ts'

/** Name of the file in the state folder: the account in hex; during a rotation both accounts. */
export const knownRootName = 'causeway-root-account'

type Account = Pick<RootKeys, 'account'>

/**
 * Checks that a state folder's root secret is the one that it had; the first one is remembered.
 * @param path of the root secret
 * @throws StartError ROOT_REPLACED naming the files
 */
export function checkRoot(stateFolder: string, path: string, { account }: Account): void {
  const file = join(stateFolder, knownRootName)
  const [found, known] = [hexOf(account), readKnown(file)]
  if (known?.length === 1 && known[0] === found) return
  if (known && !known.includes(found)) throw replaced(file, path, { known, found })
  try {
    remember(file, [found])
  } catch (error) {
    // The next start remembers it: a full disk must not keep the daemon from starting.
    if (!isFull(error)) throw error
  }
}

/** @throws StartError ROOT_REPLACED when the folder had a root secret that is gone */
export function checkNoneLost(stateFolder: string): void {
  const file = join(stateFolder, knownRootName)
  // In this order: another process may be making the first secret, and then this file.
  if (!existsSync(file) || hasRoot(stateFolder)) return
  throw new StartError(
    'ROOT_REPLACED',
    `${rootSecretFile(stateFolder)}: expected the root secret that this state folder had, found nothing; restore it from a backup; to begin with new keys, remove ${file}`,
  )
}

/** Lets both secrets be known while one replaces the other: a part of each rotation. */
export function rememberRotation(stateFolder: string) {
  const file = join(stateFolder, knownRootName)
  return {
    *prepare(old: Account, next: Account): Generator<string> {
      remember(file, [hexOf(old.account), hexOf(next.account)])
      yield `wrote ${file}`
    },
    *settle(current: Account): Generator<string> {
      if (!existsSync(file)) return
      checkRoot(stateFolder, file, current)
      yield `settled ${file}`
    },
  }
}

const hexOf = (account: Uint8Array) => Buffer.from(account).toString('hex')

function readKnown(file: string): string[] | undefined {
  const text = ifThere(() => readFileSync(file, 'utf8'))
  const lines = text?.split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line))
  // One without an account says nothing; it is written again.
  return lines?.length ? lines : undefined
}

function remember(file: string, accounts: readonly string[]): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  replaceSecretFile(file, Buffer.from(accounts.map((account) => `${account}\n`).join('')), draft)
}

function replaced(
  file: string,
  path: string,
  { known, found }: { known: readonly string[]; found: string },
): StartError {
  return new StartError(
    'ROOT_REPLACED',
    `${path}: expected the root secret of account ${known.join(' or ')}, found that of ${found}: jobs would run under other keys; restore the secret from a backup; to go on with the other keys, remove ${file}`,
  )
}
