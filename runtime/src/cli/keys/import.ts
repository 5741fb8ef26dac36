/**
 * `causeway keys import`: stores a deployment's keys from elsewhere, sealed under the root secret.
 * @module
 */
import { resolve } from 'node:path'
import {
  importedNames,
  orKeysInvalid,
  readImportedKeys,
  wipeImported,
} from '../../signer/imported/imported-keys.ts'
import { storedKeys, writeStoredKeys } from '../../signer/imported/stored-keys.ts'
import { StartError } from '../../errors/start-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { fail } from '../failure.ts'
import { withDeploymentKeys, type DeploymentKeys } from './deployment.ts'
import { type SharedOptions } from '../options.ts'
import { printable } from '../print/printable.ts'

interface ImportFlags extends SharedOptions {
  from?: string
  forget?: boolean
}

export async function importKeys(reference: string, flags: ImportFlags): Promise<void> {
  const { from, forget = false } = flags
  if ((from === undefined) !== forget) {
    return fail(new Error('expected either --from FILE or --forget'), exitCodes.usage)
  }
  const text = await withDeploymentKeys(reference, flags, (keys) =>
    from === undefined ? forgetKeys(keys) : storeKeys(keys, resolve(from)),
  )
  process.stderr.write(printable(`${text}\n`))
}

function storeKeys(opened: DeploymentKeys, from: string): string {
  const { stateFolder, label, root, backend, identity, deployment } = opened
  const keys = orKeysInvalid(() => readImportedKeys(from, backend.isPrivateKey))
  const names = importedNames(keys)
  try {
    if (names.length === 0) throw new StartError('KEYS_INVALID', `${from}: it holds no keys`)
    writeStoredKeys(stateFolder, label, root, keys)
  } finally {
    wipeImported(keys)
  }
  const done = `✓ ${names.join(', ')} of deployment ${identity.id}: imported, used from its next start on`
  const left = `! ${from} still has them: delete it when nothing else needs it`
  const first = deployment.keys && `! ${deployment.keys}, which the deployment names, comes first`
  return [done, left, ...(first ? [first] : [])].join('\n')
}

function forgetKeys({ stateFolder, label, identity }: DeploymentKeys): string {
  return storedKeys(stateFolder).remove(label)
    ? `✓ imported keys of deployment ${identity.id}: removed, derived keys from its next start on`
    : `! deployment ${identity.id} has no imported keys`
}
