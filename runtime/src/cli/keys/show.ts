/** `causeway keys show`: prints a deployment's public keys and where each comes from. @module */
import { encryptionCurves, signingCurves } from '@causeway/guest-sdk/protocol'
import { importedNames, mergeImported } from '../../signer/imported/imported-keys.ts'
import { createKeyring } from '../../signer/keyring.ts'

import {
  importsOf,
  withDeploymentKeys,
  type DeploymentKeys,
  type RootKeeping,
} from './deployment.ts'
import { type SharedOptions } from '../options.ts'
import { jsonLine, printable } from '../print/printable.ts'

interface ShownKey {
  key: string
  /** Hex. */
  publicKey: string
  /** `derived`, `imported`, or the `keys` file. */
  from: string
}

interface Shown {
  deployment: string
  file: string
  origin: { kind: string; source: string }
  processor: string
  rootSecret: RootKeeping
  keys: ShownKey[]
}

const nameWidth = 22

export async function show(
  reference: string,
  flags: SharedOptions & { json?: boolean },
): Promise<void> {
  const shown = await withDeploymentKeys(reference, flags, collect)
  process.stdout.write(flags.json ? jsonLine(shown) : printable(textOf(shown)))
}

function collect(keys: DeploymentKeys): Shown {
  const { deployment, identity, keeping } = keys
  return {
    deployment: identity.id,
    file: deployment.file,
    origin: identity.origin,
    processor: identity.processor.address,
    rootSecret: keeping,
    keys: shownKeys(keys),
  }
}

function shownKeys(keys: DeploymentKeys): ShownKey[] {
  const { file, stored } = importsOf(keys)
  const [inFile, inStore] = [importedNames(file), importedNames(stored)]
  const from = (name: string) => {
    if (inFile.includes(name)) return `keys file ${keys.deployment.keys}`
    return inStore.includes(name) ? 'imported' : 'derived'
  }
  const keyring = createKeyring(keys.root.deriveKeys(keys.label, mergeImported(file, stored)))
  const row = (key: string, publicKey: Uint8Array): ShownKey => ({
    key,
    publicKey: Buffer.from(publicKey).toString('hex'),
    from: from(key),
  })
  try {
    return [
      ...signingCurves.map((curve) => row(`signing.${curve}`, keyring.publicKeys[curve])),
      ...encryptionCurves.map((curve) => row(`encryption.${curve}`, keyring.encryptionKeys[curve])),
      row('hdSeed', keyring.publicKey('secp256k1', 'm')),
    ]
  } finally {
    keyring.destroy()
  }
}

function textOf(shown: Shown): string {
  const { deployment, file, origin, processor, rootSecret, keys } = shown
  const line = (name: string, text: string) => `${name.padEnd(nameWidth)} ${text}`
  const keyLine = ({ key, publicKey, from }: ShownKey) =>
    line(key === 'hdSeed' ? 'HD master (m)' : key.replace('.', ' '), `${publicKey}  ${from}`)
  const lines = [
    line('deployment', `${deployment}  ${file}`),
    line('origin', `${origin.kind} ${origin.source}`),
    line('processor', processor),
    line('root secret', keepingText(rootSecret)),
    '',
    ...keys.map(keyLine),
  ]
  return `${lines.join('\n')}\n`
}

/** Says to a person how a root secret is kept. */
function keepingText({ place, path, sealed }: RootKeeping): string {
  const how = sealed ? 'sealed under a passphrase' : 'not sealed'
  return place === 'credential' ? `systemd credential ${path}, ${how}` : `file ${path}, ${how}`
}
