/**
 * Scans a process for its keys: where they are in memory, and that none are left after `destroy`.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { scanMemory, type Hit } from '../../../support/signer-memory.ts'
import { memoryChild, type ChildSpec } from '../../../support/signer-memory-process.ts'
import {
  byteNeedles,
  needlesOf,
  secretsIn,
  type Needle,
  type Secret,
} from '../../../support/signer-needles.ts'
import { weierstrass } from '../../../support/signer-reference.ts'
import {
  ed25519Halves,
  hdSecrets,
  noncesOf,
  sharedSecrets,
} from '../../../support/signer-side-secrets.ts'

// The scan searches a hundred megabytes for two hundred byte strings.
vi.setConfig({ testTimeout: 120_000 })

const folder = mkdtempSync(join(tmpdir(), 'causeway-memory-'))
afterAll(() => rmSync(folder, { recursive: true }))

const names = ['p256', 'secp256k1', 'ed25519', 'encryption p256', 'encryption secp256k1', 'seed']
const secrets: Secret[] = names.map((name) => ({ name, bytes: randomBytes(32) }))
const [p256, secp256k1, ed25519, encryptionP256, encryptionSecp256k1, seed] = secrets.map(
  ({ bytes }) => bytes,
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

const path = [0x8000002c, 0, 7]
const lastDigest = new Uint8Array(32).fill(49)
const salt = Buffer.from('salt')
const self = (curve: 'p256' | 'secp256k1', key: Uint8Array) =>
  sharedSecrets(curve, key, weierstrass[curve].getPublicKey(key), salt)
const keyNeedles = needlesOf(secrets)
const sideSecrets: Secret[] = [
  ...noncesOf('p256', p256, lastDigest),
  ...noncesOf('secp256k1', secp256k1, lastDigest),
  ...ed25519Halves(ed25519),
  ...self('p256', encryptionP256),
  ...self('secp256k1', encryptionSecp256k1),
  ...hdSecrets(Buffer.concat([seed, seed]), path),
]

const sideNeedles = byteNeedles(sideSecrets)

async function hitsIn(spec: Pick<ChildSpec, 'action' | 'backend'>, needles: readonly Needle[]) {
  await using child = await memoryChild({ ...spec, secrets, folder })
  return scanMemory(child.pid, needles)
}

const namesOf = (hits: readonly Hit[]) => [...new Set(hits.map(({ secret }) => secret))].toSorted()
const unlocked = (hits: readonly Hit[]) => hits.filter(({ isLocked }) => !isLocked)

it('the scanner finds a key in every form', async () => {
  const needles = needlesOf(secrets.slice(0, 1))
  const hits = await hitsIn({ action: 'plant', backend: 'portable' }, needles)
  expect(new Set(hits.map(({ form }) => form))).toEqual(new Set(needles.map(({ form }) => form)))
})

describe('native', () => {
  it('has its keys only in locked memory', async () => {
    const hits = await hitsIn({ action: 'hold', backend: 'native' }, keyNeedles)
    expect(unlocked(hits)).toEqual([])
    expect(namesOf(hits)).toEqual(names.toSorted())
    expect(new Set(hits.map(({ form }) => form))).toEqual(new Set(['first half', 'second half']))
  })

  it('leaves no nonce, shared secret or derivation step outside of it', async () => {
    const hits = await hitsIn({ action: 'hold', backend: 'native' }, sideNeedles)
    expect(unlocked(hits)).toEqual([])
    expect(namesOf(hits)).toEqual(['chain code of m', 'key of m', `key of m/${path.join('/')}`])
  })

  it('leaves nothing when the keys are destroyed', async () => {
    const hits = await hitsIn({ action: 'destroy', backend: 'native' }, [
      ...keyNeedles,
      ...sideNeedles,
    ])
    expect(hits).toEqual([])
  })
})

describe('portable, whose weakness the native backend avoids', () => {
  it('has copies of its keys in memory that is not locked', async () => {
    const hits = await hitsIn({ action: 'hold', backend: 'portable' }, keyNeedles)
    expect(namesOf(unlocked(hits))).toEqual(names.toSorted())
  })

  it('leaves copies when the keys are destroyed', async () => {
    const hits = await hitsIn({ action: 'destroy', backend: 'portable' }, [
      ...keyNeedles,
      ...sideNeedles,
    ])
    expect(unlocked(hits)).not.toEqual([])
  })
})

describe('a snapshot of the JavaScript heap', () => {
  const snapshotOf = async (spec: Pick<ChildSpec, 'action' | 'backend'>) => {
    const snapshot = join(folder, `${spec.backend}-${spec.action}.heapsnapshot`)
    await using _child = await memoryChild({ ...spec, secrets, folder, snapshot })
    return readFileSync(snapshot, 'latin1')
  }

  it('shows a key that was once in a string', async () => {
    const found = secretsIn(await snapshotOf({ action: 'plant', backend: 'portable' }), secrets)
    expect(found).toContain('p256: hex')
    expect(found).toContain('p256: base64')
    expect(found).toContain('p256: decimal')
  })

  it.each(['native', 'portable'] as const)('contains no key of %s', async (backend) => {
    const found = secretsIn(await snapshotOf({ action: 'hold', backend }), secrets)
    expect(found).toEqual([])
  })
})
