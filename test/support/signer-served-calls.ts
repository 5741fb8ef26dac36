/**
 * Calls that use every key of a deployment, correctly and wrongly.
 * @module
 */
import { createHash } from 'node:crypto'
import { hex } from './hex.ts'
import { usedPaths } from './signer-served-keys.ts'
import type { Call } from './signer-served.ts'

const signaturesOfCurve = 1000
const signaturesOfPath = 50
const agreements = 100
const atOnce = 16

/** Makes thousands of calls that succeed. @throws Error when one does not */
export async function useAllKeys(call: Call): Promise<void> {
  const sign = async (params: object, index: number) => {
    const bytes = createHash('sha256').update(`${index}`).digest('hex')
    // An unknown field is a line in the log.
    expectBytes(await call('signer_sign', { ...params, bytes, unknown: bytes }))
  }
  for (const curve of ['p256', 'secp256k1', 'ed25519']) {
    await repeat(signaturesOfCurve, (index) => sign({ curve }, index))
  }
  for (const derivationPath of Object.keys(usedPaths)) {
    await repeat(signaturesOfPath, (index) => sign({ curve: 'secp256k1', derivationPath }, index))
  }
  for (const curve of ['p256', 'secp256k1']) {
    await repeat(agreements, (index) => agree(call, curve, index))
  }
}

async function agree(call: Call, curve: string, index: number): Promise<void> {
  const { publicKey } = await call('signer_publicKey', { curve })
  const text = hex(Buffer.from(`text ${index}`))
  const { bytes = '' } = await call('signer_encrypt', { curve, publicKey, salt: '01', bytes: text })
  expectBytes(await call('signer_decrypt', { curve, publicKey, salt: '01', bytes }))
}

/** Makes calls that fail in every possible way. @throws Error when one does not */
export async function misuseAllKeys(call: Call): Promise<void> {
  const word = '5a'.repeat(32)
  const peer = { publicKey: `02${word}`, salt: '', bytes: '00'.repeat(40) }
  const failing: [string, object][] = [
    ...['p256', 'secp256k1'].flatMap((curve): [string, object][] => [
      ['signer_sign', { curve, bytes: '00' }],
      ['signer_sign', { curve, bytes: 'zz' }],
      ['signer_encrypt', { ...peer, curve, publicKey: `04${word}${word}` }],
      ['signer_decrypt', { ...peer, curve, publicKey: `05${word}` }],
      ['signer_decrypt', { ...peer, curve, bytes: '' }],
      ['signer_decrypt', { ...peer, curve, publicKey: `${peer.publicKey}00` }],
    ]),
    ['signer_sign', { curve: 'ed25519', bytes: word, derivationPath: 'm/0' }],
    ['signer_sign', { curve: 'secp256k1', bytes: word, derivationPath: 'm/x' }],
    ['signer_sign', { curve: 'secp256k1', bytes: word, derivationPath: 'm/4294967296' }],
    ['signer_encrypt', { ...peer, curve: 'ed25519' }],
    ['signer_sign', { curve: 'p384', bytes: word }],
    ['signer_export', {}],
  ]
  for (const [method, params] of failing) {
    const { message } = await call(method, params)
    if (!message) throw new Error(`${method} ${JSON.stringify(params)} did not fail`)
  }
}

function expectBytes(reply: Record<string, string>): void {
  if (!/^([0-9a-f]{2})+$/.test(reply['bytes'] ?? '')) throw new Error(JSON.stringify(reply))
}

async function repeat(count: number, run: (index: number) => Promise<void>): Promise<void> {
  for (let start = 0; start < count; start += atOnce) {
    const indexes = Array.from({ length: Math.min(atOnce, count - start) }, (_, at) => start + at)
    await Promise.all(indexes.map(run))
  }
}
