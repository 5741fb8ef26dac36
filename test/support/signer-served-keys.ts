/**
 * A deployment whose root secret and keys the test knows, as files.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { portableBackend } from '../../runtime/src/signer/portable/backend.ts'
import { hex } from './hex.ts'
import type { Secret } from './signer-needles.ts'
import { hdSecrets } from './signer-side-secrets.ts'

const hardened = 0x80000000

/** The HD paths used, with their indexes. */
export const usedPaths: Record<string, number[]> = {
  m: [],
  'm/0': [0],
  "m/44'/60'/0'/0/0": [hardened + 44, hardened + 60, hardened, 0, 0],
  'm/1/2/3/4/5/6/7/8/9h/10': [1, 2, 3, 4, 5, 6, 7, 8, hardened + 9, 10],
}

/** Secrets that must not leak. */
export interface KnownSecrets {
  /** Root secret, account, private keys, HD seed. */
  kept: Secret[]
  /** Keys and chain codes of the used paths and of their parents. */
  derived: Secret[]
}

/** Writes state, configuration and deployment into a new folder. */
export function writeKnownKeys(folder: string, backend: 'native' | 'portable'): KnownSecrets {
  const root = randomBytes(32)
  const [p256, secp256k1, ed25519, encryptionP256, encryptionSecp256k1] = drawKeys()
  const hdSeed = randomBytes(64)
  mkdirSync(folder)
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(join(folder, name), content, { mode: 0o600 })
  write('causeway-root-secret', root)
  write('config.toml', `[signer]\nbackend = "${backend}"\n`)
  write('deployment.json', JSON.stringify({ id: '3510', keys: 'keys.json' }))
  write(
    'keys.json',
    keysFile(
      { p256, secp256k1, ed25519 },
      { p256: encryptionP256, secp256k1: encryptionSecp256k1 },
      hdSeed,
    ),
  )
  const kept = [
    { name: 'root secret', bytes: root },
    {
      name: 'account',
      bytes: portableBackend.openRoot(root).deriveSecret('host', 'account', 'ed25519'),
    },
    { name: 'p256', bytes: p256 },
    { name: 'secp256k1', bytes: secp256k1 },
    { name: 'ed25519', bytes: ed25519 },
    { name: 'encryption p256', bytes: encryptionP256 },
    { name: 'encryption secp256k1', bytes: encryptionSecp256k1 },
    { name: 'HD seed', bytes: hdSeed },
  ]
  const derived = Object.values(usedPaths).flatMap((path) => hdSecrets(hdSeed, path))
  return { kept, derived }
}

type Keys = Record<string, Uint8Array>

function drawKeys() {
  return Array.from({ length: 5 }, () => randomBytes(32)) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
}

function keysFile(signing: Keys, encryption: Keys, hdSeed: Uint8Array): string {
  const group = (keys: Keys) =>
    Object.fromEntries(Object.entries(keys).map(([curve, key]) => [curve, hex(key)]))
  return JSON.stringify({
    signing: group(signing),
    encryption: group(encryption),
    hdSeed: hex(hdSeed),
  })
}
