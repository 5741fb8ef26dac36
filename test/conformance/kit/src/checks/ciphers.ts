/**
 * `signer_encrypt` and `signer_decrypt`: with the own key, with a peer, with wrong keys.
 * @module
 */
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { encryptionCurves, type EncryptionCurve } from '../curves.ts'
import { expectThat } from '../outcome.ts'
import { createDroppingPeer, createPeer, ivBytes, tagBytes } from '../peer.ts'
import { codes } from '../response.ts'
import { sections } from '../sections.ts'
import { ownKey, transform, type Channel } from './channel.ts'
import { checkUniform, refusals } from './tampering.ts'

const section = sections.signer
const plaintext = Buffer.from('for the other side only')
const salt = Buffer.from('0102', 'hex')
const overhead = ivBytes + tagBytes

async function roundTrip(bridge: Bridge, channel: Channel, text: Buffer): Promise<void> {
  const sealed = await transform(bridge, 'signer_encrypt', channel, text)
  const opened = await transform(bridge, 'signer_decrypt', channel, sealed)
  expectThat(opened.equals(text), `the plaintext ${text.toString('hex')}`, opened.toString('hex'))
}

async function checkOwn(bridge: Bridge, curve: EncryptionCurve): Promise<void> {
  const publicKey = await ownKey(bridge, curve)
  await roundTrip(bridge, { curve, publicKey, salt }, plaintext)
  await roundTrip(bridge, { curve, publicKey, salt }, Buffer.alloc(0))
}

async function checkSalts(bridge: Bridge, curve: EncryptionCurve): Promise<void> {
  const publicKey = await ownKey(bridge, curve)
  for (const length of [0, 1, 32, 1000]) {
    await roundTrip(bridge, { curve, publicKey, salt: Buffer.alloc(length, 's') }, plaintext)
  }
}

async function checkLayout(bridge: Bridge, curve: EncryptionCurve): Promise<void> {
  const channel = { curve, publicKey: await ownKey(bridge, curve), salt }
  const first = await transform(bridge, 'signer_encrypt', channel, plaintext)
  const second = await transform(bridge, 'signer_encrypt', channel, plaintext)
  const length = plaintext.length + overhead
  expectThat(first.length === length, `${length} bytes`, `${first.length} bytes`)
  expectThat(!first.equals(second), 'another ciphertext the second time', second.toString('hex'))
}

/** Uses a key pair of this process as the peer, both ways and with both forms of its key. */
async function checkPeer(bridge: Bridge, curve: EncryptionCurve): Promise<void> {
  const own = await ownKey(bridge, curve)
  const peer = createPeer(curve)
  for (const publicKey of [peer.compressed, peer.uncompressed]) {
    const channel = { curve, publicKey, salt }
    const sealed = peer.encrypt(own, salt, plaintext)
    const opened = await transform(bridge, 'signer_decrypt', channel, sealed)
    expectThat(opened.equals(plaintext), 'what the peer encrypted', opened.toString('hex'))
    const received = await transform(bridge, 'signer_encrypt', channel, plaintext)
    expectThat(
      opens(() => peer.decrypt(own, salt, received)),
      'bytes that the peer can decrypt',
      received.toString('hex'),
    )
  }
}

async function checkDroppingPeer(bridge: Bridge, curve: EncryptionCurve): Promise<void> {
  const own = await ownKey(bridge, curve)
  const peer = createDroppingPeer(curve, own)
  const channel = { curve, publicKey: peer.compressed, salt }
  const sealed = peer.encrypt(own, salt, plaintext)
  const opened = await transform(bridge, 'signer_decrypt', channel, sealed)
  expectThat(opened.equals(plaintext), 'what the peer encrypted', opened.toString('hex'))
}

function opens(decrypt: () => Buffer): boolean {
  try {
    return decrypt().equals(plaintext)
  } catch {
    // The authentication tag does not match.
    return false
  }
}

const badKeys: readonly string[] = ['', '00', `02${'ff'.repeat(32)}`, `05${'11'.repeat(32)}`]

async function checkBadKeys(bridge: Bridge, curve: EncryptionCurve): Promise<void> {
  for (const method of ['signer_encrypt', 'signer_decrypt']) {
    for (const publicKey of badKeys) {
      const params = { curve, publicKey, salt: '00', bytes: '00'.repeat(overhead) }
      await refusalOfCall(bridge, codes.invalidParams, method, params)
    }
  }
}

async function checkEd25519(bridge: Bridge): Promise<void> {
  const { publicKey } = await resultOfCall(bridge, 'signer_publicKey', { curve: 'ed25519' })
  const params = { curve: 'ed25519', publicKey, salt: '00', bytes: '00' }
  await refusalOfCall(bridge, codes.invalidParams, 'signer_encrypt', params)
  await refusalOfCall(bridge, codes.invalidParams, 'signer_decrypt', params)
}

interface CurveRow extends Pick<Check, 'id' | 'title' | 'profile'> {
  run: (bridge: Bridge, curve: EncryptionCurve) => Promise<unknown>
}

const rows: readonly CurveRow[] = [
  {
    id: 'cipher.own',
    title: 'bytes encrypted to the own key, even none, are decrypted',
    profile: 'causeway',
    run: checkOwn,
  },
  {
    id: 'cipher.salt',
    title: 'a salt may have any length',
    profile: 'causeway',
    run: checkSalts,
  },
  {
    id: 'cipher.layout',
    title: 'iv, ciphertext and tag, another iv each time',
    profile: 'causeway',
    run: checkLayout,
  },
  {
    id: 'cipher.peer',
    title: 'a peer that follows the description encrypts and decrypts, with both forms of its key',
    profile: 'causeway',
    run: checkPeer,
  },
  {
    id: 'cipher.dropped-zeros',
    title: 'what a peer encrypted that drops leading zero bytes of the shared x is decrypted',
    profile: 'causeway',
    run: checkDroppingPeer,
  },
  {
    id: 'cipher.tampered',
    title: 'a changed ciphertext or salt is refused',
    profile: 'causeway',
    run: refusals,
  },
  {
    id: 'cipher.uniform',
    title: 'the refusal has one text, whatever was changed',
    profile: 'causeway',
    run: checkUniform,
  },
  { id: 'cipher.bad-key', title: 'bytes that are not a point: -32602', run: checkBadKeys },
]

const perCurve = (curve: EncryptionCurve): readonly Check[] =>
  rows.map(({ id, title, run, ...row }) => ({
    ...row,
    id: `${id}-${curve}`,
    section,
    title: `${curve}: ${title}`,
    run: async (bridge) => void (await run(bridge, curve)),
  }))

/** Checks of encryption. */
export const cipherChecks: readonly Check[] = [
  ...encryptionCurves.flatMap(perCurve),
  {
    id: 'cipher.ed25519',
    section,
    title: 'ed25519 does not encrypt: -32602',
    run: checkEd25519,
  },
]
