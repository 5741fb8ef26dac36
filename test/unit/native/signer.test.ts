import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { loadSigner, type SignerKeys } from '@causeway/native'
import { hex } from '../../support/hex.ts'
import { buildInternals } from '../../support/signer-internals.ts'
import { orders, referencePublicKey, toBytes } from '../../support/signer-reference.ts'

const signer = loadSigner()
const digest = new Uint8Array(32).fill(9)
const salt = new Uint8Array()
const keysBySlot = [1, 2, 3, 4, 5].map((number) => toBytes(BigInt(number)))
const hdSeed = new Uint8Array(64).fill(6)
const derivedSlot = 5
const lastSlot = derivedSlot + 1023
const gone = 'its keys have been destroyed'

function openAll(): SignerKeys {
  const keys = signer.openKeys()
  keysBySlot.forEach((key, slot) => keys.setKey(slot, key))
  keys.setHdSeed(hdSeed)
  keys.derive(derivedSlot, [0])
  return keys
}

describe('keys', () => {
  it('come out as they went in', () => {
    const keys = openAll()
    expect(keysBySlot.map((_, slot) => hex(keys.exportKey(slot)))).toEqual(keysBySlot.map(hex))
    expect(hex(keys.exportHdSeed())).toBe(hex(hdSeed))
  })

  it('are copies: the caller’s may be zeroed', () => {
    const key = toBytes(7n)
    const keys = openAll()
    keys.setKey(0, key)
    key.fill(0)
    expect(hex(keys.publicKey(0))).toBe(hex(referencePublicKey('p256', toBytes(7n))))
  })

  it.each([
    { name: 'p256', slot: 0, bad: orders.p256 },
    { name: 'secp256k1', slot: 1, bad: orders.secp256k1 },
    { name: 'encryption p256', slot: 3, bad: orders.p256 },
    { name: 'encryption secp256k1', slot: 4, bad: orders.secp256k1 },
  ])('that are none leave the one before: $name', ({ slot, bad }) => {
    const keys = openAll()
    expect([0n, bad, bad + 1n].map((number) => keys.setKey(slot, toBytes(number)))).toEqual([
      false,
      false,
      false,
    ])
    expect(hex(keys.exportKey(slot))).toBe(hex(keysBySlot[slot]!))
    expect(keys.setKey(slot, toBytes(bad - 1n))).toBe(true)
  })

  it('of two deployments do not touch each other', () => {
    const [one, other] = [openAll(), openAll()]
    other.setKey(0, toBytes(99n))
    other.destroy()
    expect(hex(one.exportKey(0))).toBe(hex(keysBySlot[0]!))
  })

  it('of 1,024 paths are held at once', () => {
    const keys = openAll()
    for (let index = 0; index < 1024; index++) keys.derive(derivedSlot + index, [index])
    const first = hex(keys.publicKey(derivedSlot))
    const found = new Set<string>()
    for (let slot = derivedSlot; slot <= lastSlot; slot++) found.add(hex(keys.publicKey(slot)))
    expect(found.size).toBe(1024)
    keys.derive(lastSlot, [0])
    expect(hex(keys.publicKey(lastSlot))).toBe(first)
  })
})

describe('every call throws', () => {
  const agreement = { peerPublicKey: referencePublicKey('p256', toBytes(8n)), salt }
  const calls: [name: string, call: (keys: SignerKeys) => unknown][] = [
    ['setHdSeed', (keys) => keys.setHdSeed(hdSeed)],
    ['derive', (keys) => keys.derive(derivedSlot, [0])],
    ['publicKey', (keys) => keys.publicKey(0)],
    ['publicKey of ed25519', (keys) => keys.publicKey(2)],
    ['sign', (keys) => keys.sign(0, digest)],
    ['sign, secp256k1', (keys) => keys.sign(1, digest)],
    ['sign, ed25519', (keys) => keys.sign(2, digest)],
    ['sign, HD', (keys) => keys.sign(derivedSlot, digest)],
    ['encrypt', (keys) => keys.encrypt(3, agreement, digest)],
    ['decrypt', (keys) => keys.decrypt(3, agreement, digest)],
    ['exportKey', (keys) => keys.exportKey(0)],
    ['exportKey of ed25519', (keys) => keys.exportKey(2)],
    ['exportHdSeed', (keys) => keys.exportHdSeed()],
  ]

  it.each(calls)('when the keys have been destroyed: %s', (_, call) => {
    const keys = openAll()
    call(keys)
    keys.destroy()
    keys.destroy()
    expect(() => call(keys)).toThrow(gone)
  })

  it('when there is no root any more', () => {
    const root = signer.openRoot(new Uint8Array(32).fill(1))
    const info = Buffer.from('info')
    root.deriveSecret(info)
    root.destroy()
    expect(() => root.deriveSecret(info)).toThrow(gone)
    expect(() => root.account()).toThrow(gone)
    expect(() => root.deriveKeys(info)).toThrow(gone)
  })

  const keyUses = calls.filter(([name]) => /^(publicKey|sign)|ed25519/.test(name))
  it.each(keyUses)('when no key was ever put there: %s', (_, call) => {
    expect(() => call(signer.openKeys())).toThrow(gone)
  })
})

describe('arguments', () => {
  const keys = openAll()
  const agreement = { peerPublicKey: keys.publicKey(3), salt }

  it.each([-1, lastSlot + 1, 0.5, NaN, 2 ** 32])('slot %d', (slot) => {
    expect(() => keys.sign(slot, digest)).toThrow(RangeError)
    expect(() => keys.publicKey(slot)).toThrow(RangeError)
    expect(() => keys.derive(slot, [0])).toThrow(RangeError)
    expect(() => keys.setKey(slot, digest)).toThrow(RangeError)
    expect(() => keys.exportKey(slot)).toThrow(RangeError)
  })

  it.each([0, 1, 2, derivedSlot])('slot %i does not encrypt', (slot) => {
    expect(() => keys.encrypt(slot, agreement, digest)).toThrow(RangeError)
    expect(() => keys.decrypt(slot, agreement, digest)).toThrow(RangeError)
  })

  it('slots of keys are not for HD keys, nor the other way round', () => {
    expect(() => keys.derive(4, [0])).toThrow(RangeError)
    expect(() => keys.setKey(derivedSlot, digest)).toThrow(RangeError)
    expect(() => keys.exportKey(derivedSlot)).toThrow(RangeError)
  })

  it.each([0, 31, 33])('%i bytes are no key', (length) => {
    expect(() => keys.setKey(0, new Uint8Array(length).fill(1))).toThrow(RangeError)
    expect(() => signer.openRoot(new Uint8Array(length))).toThrow(RangeError)
    expect(() => keys.setHdSeed(new Uint8Array(length))).toThrow(RangeError)
  })

  it.each([0, 31, 33, 64])('%i bytes are no digest', (length) => {
    for (const slot of [0, 1, derivedSlot]) {
      expect(() => keys.sign(slot, new Uint8Array(length))).toThrow(Error)
    }
    expect(keys.sign(2, new Uint8Array(length))).toHaveLength(64)
  })

  it('views into larger buffers are taken as they are', () => {
    const within = Uint8Array.of(1, 2, 3, ...digest, 4, 5).subarray(3, 35)
    expect(hex(keys.sign(0, within))).toBe(hex(keys.sign(0, digest)))
  })
})

it('another thread has a signer of its own', async () => {
  const script = `
    const { workerData, parentPort } = require('node:worker_threads')
    const { SignerKeys } = require(workerData.addon)
    const keys = new SignerKeys()
    keys.setKey(0, workerData.key)
    const signature = new Uint8Array(64)
    for (let count = 0; count < 1000; count++) keys.sign(0, workerData.digest, signature)
    parentPort.postMessage(signature)`
  const url = new URL('../../../native/build/Release/bridge_signer.node', import.meta.url)
  const workerData = { addon: fileURLToPath(url), key: keysBySlot[0], digest }
  const workers = Array.from({ length: 4 }, () => new Worker(script, { eval: true, workerData }))
  const keys = openAll()
  for (let count = 0; count < 1000; count++) keys.sign(0, digest)
  const found = await Promise.all(workers.map((worker) => once(worker, 'message')))
  const expected = hex(keys.sign(0, digest))
  expect(found.map(([signature]) => hex(signature as Uint8Array))).toEqual(
    workers.map(() => expected),
  )
})

it('zeroes secrets on the stack at the end of their scope', () => {
  expect(hex(buildInternals().secretRemains())).toBe('00'.repeat(32))
})

it('locks the memory of keys, as root', ({ skip }) => {
  skip(process.getuid?.() !== 0, 'other users may have a limit of locked memory')
  openAll()
  expect(signer.isMemoryLocked()).toBe(true)
})
