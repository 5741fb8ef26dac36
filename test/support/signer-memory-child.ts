/**
 * A process whose memory is searched: signer-memory-child.ts ACTION BACKEND SECRETS [SNAPSHOT].
 * SECRETS is a file of six 32-byte secrets: the five keys by slot, then the first half of the HD
 * seed, which equals the second. It prints `ready` after its action, and ends with its stdin.
 * @module
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { writeHeapSnapshot } from 'node:v8'
import { slots, type PrivateKeys, type SecretKeys } from '../../runtime/src/signer/backend.ts'
import { native, portable } from './signer-backends.ts'
import { textForms } from './signer-needles.ts'

const [action, backendName, file = '', snapshot] = process.argv.slice(2)
const backend = backendName === 'native' ? native : portable
/** Keeps the actions' objects, so that none is collected. */
const kept: unknown[] = []

/** Reads straight into the arrays: no other buffer ever has the keys. */
function readKeys(): PrivateKeys {
  const fd = openSync(file, 'r')
  const next = (length = 32, position: number | null = null) => {
    const key = new Uint8Array(length)
    if (readSync(fd, key, 0, 32, position) !== 32) throw new Error('too short')
    return key
  }
  const keys = {
    signing: { p256: next(), secp256k1: next(), ed25519: next() },
    encryption: { p256: next(), secp256k1: next() },
    hdSeed: next(64),
  }
  keys.hdSeed.copyWithin(32, 0, 32)
  closeSync(fd)
  return keys
}

function useAll(keys: SecretKeys): void {
  const { signing, encryption, firstDerived } = slots
  keys.derive(firstDerived, [0x8000002c, 0, 7])
  const salt = Buffer.from('salt')
  for (let count = 0; count < 50; count++) {
    const digest = Buffer.alloc(32, count)
    for (const slot of [...Object.values(signing), firstDerived]) keys.sign(slot, digest)
    for (const slot of Object.values(encryption)) {
      const agreement = { peerPublicKey: keys.publicKey(slot), salt }
      const sealed = keys.encrypt(slot, agreement, digest)
      if (typeof sealed === 'string') throw new Error(sealed)
      keys.decrypt(slot, agreement, sealed)
      keys.decrypt(slot, agreement, sealed.subarray(1))
    }
  }
}

/** Keeps the first key in every form that the scanner knows. */
function plant(): void {
  const key = readKeys().signing.p256
  const forms = Object.values(textForms(key))
  kept.push(Buffer.from(key), Buffer.from(key).reverse(), BigInt(forms[4]!))
  kept.push(forms.map((form) => Buffer.from(form).toString()))
  // One character that needs two bytes makes the whole string use two bytes each.
  kept.push(forms.map((form) => Buffer.from(`${form}→`, 'utf16le').toString('utf16le')))
}

const actions: Record<string, () => void> = {
  plant,
  hold: () => {
    const keys = backend.openKeys(readKeys())
    useAll(keys)
    kept.push(keys)
  },
  destroy: () => {
    const keys = backend.openKeys(readKeys())
    useAll(keys)
    keys.destroy()
  },
}

actions[action ?? '']?.()
if (snapshot) writeHeapSnapshot(snapshot)
process.stdout.write('ready\n')
process.stdin.resume().on('end', () => process.exit(kept.length === -1 ? 1 : 0))
