/**
 * `causeway keys export`: writes all private keys of a deployment to a file, for another host.
 * @module
 */
import { resolve } from 'node:path'
import { wipeImported, mergeImported } from '../../signer/imported/imported-keys.ts'
import { encodeKeysFile } from '../../signer/imported/keys-file.ts'
import { wiping } from '../../signer/secret-bytes.ts'
import { createSecretFile } from '../../signer/secret-file.ts'
import type { SecretKeys } from '../../signer/backend.ts'

import { importsOf, withDeploymentKeys, type DeploymentKeys } from './deployment.ts'
import { type SharedOptions } from '../options.ts'
import { printable } from '../print/printable.ts'

export async function exportKeys(
  reference: string,
  flags: SharedOptions & { out: string },
): Promise<void> {
  if (flags.out === '-') throw new Error('--out: expected a file, found -; keys are not printed')
  const out = resolve(flags.out)
  const id = await withDeploymentKeys(reference, flags, (keys) => {
    writeKeys(keys, out)
    return keys.identity.id
  })
  process.stderr.write(
    printable(
      `✓ ${out}: all private keys of deployment ${id} and its HD seed, not encrypted\n! whoever has this file has the keys: move it safely and delete it when it is imported\n`,
    ),
  )
}

function writeKeys(keys: DeploymentKeys, out: string): void {
  const { file, stored } = importsOf(keys)
  const secretKeys = keys.root.deriveKeys(keys.label, mergeImported(file, stored))
  try {
    wiping(encodeAll(secretKeys), (content) => createSecretFile(out, content))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`${out}: expected nothing there, found a file; nothing was written`)
  }
}

/** Encodes every key as bytes of the file and zeroes all other copies. */
function encodeAll(secretKeys: SecretKeys): Buffer {
  try {
    const exported = secretKeys.exportKeys()
    try {
      return encodeKeysFile(exported)
    } finally {
      wipeImported(exported)
    }
  } finally {
    secretKeys.destroy()
  }
}
