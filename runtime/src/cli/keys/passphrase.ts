/**
 * `causeway keys passphrase`: puts the root secret under a passphrase, changes or removes it.
 * @module
 */
import { hardenProcess } from '@causeway/native/process'
import {
  makeRoot,
  newRootContent,
  unlockRootFile,
  type RootOptions,
  type UnlockedRoot,
} from '../../signer/root/open-root.ts'
import { askNewPassphrase, readPassphraseFile } from '../../signer/root/passphrase.ts'
import { lockRootChange } from '../../signer/root/root-lock.ts'
import { hasRoot, replaceRootForGood } from '../../signer/root/root-secret.ts'
import { isSealed } from '../../signer/root/sealed-root.ts'
import { wiping } from '../../signer/secret-bytes.ts'
import { openState } from '../../state/state-folders.ts'
import { exitCodes } from '../exit-codes.ts'
import { fail } from '../failure.ts'
import { passphraseOf, type SharedOptions } from '../options.ts'
import { printable } from '../print/printable.ts'

interface PassphraseFlags extends SharedOptions {
  remove?: boolean
  newPassphraseFile?: string
}

export async function changePassphrase(flags: PassphraseFlags): Promise<void> {
  if (flags.remove && flags.newPassphraseFile !== undefined) {
    return fail(
      new Error('expected --remove or --new-passphrase-file, found both'),
      exitCodes.usage,
    )
  }
  hardenProcess()
  process.stderr.write(printable(`${await change(flags)}\n`))
}

async function change(flags: PassphraseFlags): Promise<string> {
  const stateFolder = openState(flags.state).root
  const release = lockRootChange(stateFolder)
  try {
    return hasRoot(stateFolder)
      ? await changeRoot({ stateFolder, ...passphraseOf(flags) }, flags)
      : await makeSealed(stateFolder, flags)
  } finally {
    release()
  }
}

async function changeRoot(options: RootOptions, flags: PassphraseFlags): Promise<string> {
  const root = await unlockRootFile(options)
  const changed = flags.remove ? removePassphrase(root) : setPassphrase(root, flags)
  return changed.finally(() => root.wipe())
}

/** Makes the first root secret, which must not lie in the clear even for a moment. */
async function makeSealed(stateFolder: string, flags: PassphraseFlags): Promise<string> {
  if (flags.remove) throw new Error(`${stateFolder}: there is no root secret yet`)
  const passphrase = await newPassphrase(flags.newPassphraseFile)
  const { path, content } = await makeRoot(stateFolder, passphrase).finally(() =>
    passphrase.fill(0),
  )
  if (wiping(content, isSealed)) return `✓ ${path}: made, sealed`
  // A bridge that starts without a root secret makes one, and does not wait for this command.
  throw new Error(
    `${path}: another process made it meanwhile, in the clear; the same command again seals it`,
  )
}

async function setPassphrase(root: UnlockedRoot, flags: PassphraseFlags): Promise<string> {
  const passphrase = await newPassphrase(flags.newPassphraseFile)
  const content = await newRootContent(root.secret, passphrase).finally(() => passphrase.fill(0))
  return done(root, content, root.passphrase ? 'has a new passphrase' : 'sealed')
}

async function removePassphrase(root: UnlockedRoot): Promise<string> {
  if (!root.passphrase) throw new Error(`${root.path}: it has no passphrase`)
  return done(root, await newRootContent(root.secret, undefined), 'no longer sealed')
}

function newPassphrase(file: string | undefined): Promise<Buffer> | Buffer {
  return file === undefined
    ? askNewPassphrase('expected --new-passphrase-file')
    : readPassphraseFile(file)
}

function done(root: UnlockedRoot, content: Buffer, what: string): string {
  const isGone = wiping(content, () => replaceRootForGood(root.path, content))
  const copies = `! ${root.path} had another name, which still leads to what it was`
  return [`✓ ${root.path}: ${what}`, ...(isGone ? [] : [copies])].join('\n')
}
