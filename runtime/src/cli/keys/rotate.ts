/** `causeway keys rotate-root`: makes a new root secret, and with it new derived keys. @module */
import { join } from 'node:path'
import { encodeSs58 } from '@causeway/manifest'
import { hardenProcess } from '@causeway/native/process'
import { resealAuditHeads } from '../../audit/reseal-heads.ts'
import { loadConfig, type Config } from '../../config/config.ts'
import { chooseBackend } from '../../signer/choose-backend.ts'
import { unlockRootFile, type UnlockedRoot } from '../../signer/root/open-root.ts'
import { readPassphraseFile } from '../../signer/root/passphrase.ts'
import { storedKeys } from '../../signer/imported/stored-keys.ts'
import { resealFiles } from '../../signer/sealed/reseal.ts'
import { lockRootChange, lockRootOutOfUse } from '../../signer/root/root-lock.ts'
import { hasRoot } from '../../signer/root/root-secret.ts'
import { rotateRoot, type Rotation } from '../../signer/root/rotate-root.ts'
import { openState } from '../../state/state-folders.ts'
import { exitCodes } from '../exit-codes.ts'
import { fail } from '../failure.ts'
import { passphraseOf, type SharedOptions } from '../options.ts'
import { printable } from '../print/printable.ts'

interface RotateFlags extends SharedOptions {
  yes?: boolean
  newPassphraseFile?: string
  passphrase: boolean
}

/** Flags of the command, and the state folder that they name. */
interface Asked {
  flags: RotateFlags
  stateFolder: string
}

export async function rotate(flags: RotateFlags): Promise<void> {
  if (!flags.passphrase && flags.newPassphraseFile !== undefined) {
    const found = 'expected --no-passphrase or --new-passphrase-file, found both'
    return fail(new Error(found), exitCodes.usage)
  }
  hardenProcess()
  const text = await withRootToChange(flags, flags.yes ? replace : refuse)
  process.stderr.write(printable(`${text}\n`))
}

async function withRootToChange(
  flags: RotateFlags,
  use: (root: UnlockedRoot, asked: Asked) => Promise<string>,
): Promise<string> {
  const stateFolder = openState(flags.state).root
  const releaseUse = lockRootOutOfUse(stateFolder)
  try {
    const releaseChange = lockRootChange(stateFolder)
    return await withRootFile({ flags, stateFolder }, use).finally(releaseChange)
  } finally {
    releaseUse()
  }
}

async function withRootFile(
  asked: Asked,
  use: (root: UnlockedRoot, asked: Asked) => Promise<string>,
): Promise<string> {
  const { stateFolder, flags } = asked
  if (!hasRoot(stateFolder)) throw new Error(`${stateFolder}: there is no root secret yet`)
  const root = await unlockRootFile({ stateFolder, ...passphraseOf(flags) })
  return use(root, asked).finally(() => root.wipe())
}

/** Without --yes: says what would change, and changes nothing. */
async function refuse(root: UnlockedRoot, { flags }: Asked): Promise<string> {
  const config = loadConfig(flags.config)
  const { backend } = await chooseBackend(config.signer.backend)
  const keys = backend.openRoot(root.secret)
  const address = addressOf(keys.account, config)
  keys.destroy()
  process.exitCode = exitCodes.usage
  return `${root.path}: nothing was changed; with --yes:
  processor   ${address} → a new one, which has to be registered
  keys        every derived key of every deployment → a new one; what was encrypted to the old ones
              opens with the old root secret only
  imported    keys stay the same, sealed under the new root secret
  old secret  stays beside the new one under the name of the time, for you to delete`
}

async function replace(root: UnlockedRoot, { flags, stateFolder }: Asked): Promise<string> {
  const config = loadConfig(flags.config)
  const { backend } = await chooseBackend(config.signer.backend)
  const passphrase = nextPassphrase(root, flags)
  const rotation = await rotateRoot({
    backend,
    root,
    ...(passphrase && { passphrase }),
    resealables: [
      resealFiles(storedKeys(stateFolder)),
      resealAuditHeads(join(stateFolder, 'audit')),
    ],
    now: new Date(),
  }).finally(() => passphrase?.fill(0))
  return rotatedText(root, rotation, config)
}

/** Gets the passphrase of the new secret: the old one unless the flags say otherwise. The caller zeroes it. */
function nextPassphrase(root: UnlockedRoot, flags: RotateFlags): Buffer | undefined {
  if (flags.newPassphraseFile !== undefined) return readPassphraseFile(flags.newPassphraseFile)
  return flags.passphrase && root.passphrase ? Buffer.from(root.passphrase) : undefined
}

function rotatedText(root: UnlockedRoot, rotation: Rotation, config: Config): string {
  const [before, after] = [rotation.oldAccount, rotation.account]
  return `✓ ${root.path}: a new root secret
✓ processor ${addressOf(before, config)} → ${addressOf(after, config)}
! audit logs of deployments without an origin.source are read with the old one: ${Buffer.from(before).toString('hex')}
! ${rotation.oldFile} is the old one, ${root.passphrase ? 'under its passphrase' : 'in the clear'}: delete it when nothing needs it`
}

function addressOf(account: Uint8Array, config: Config): string {
  return encodeSs58(account, config.processor.ss58Prefix)
}
