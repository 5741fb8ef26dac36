/**
 * Programs and libraries that verify signatures and share no code with the signer.
 * @module
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { hex } from './hex.ts'
import { weierstrass } from './signer-reference.ts'

/** A message with its signature; p256 and secp256k1 signed its SHA-256. */
export interface Signed {
  curve: SigningCurve
  publicKey: Uint8Array
  message: Uint8Array
  signature: Uint8Array
}

/** Each verifier's answers for all signatures. */
export const verifiers: Record<string, (signed: readonly Signed[]) => boolean[]> = {
  'node:crypto': (signed) => signed.map(verifyByNode),
  'the openssl program': (signed) => signed.map(verifyByOpenssl),
  'python-cryptography': verifyByPython,
  noble: (signed) => signed.map(verifyByNoble),
}

// DER of SubjectPublicKeyInfo up to the key bytes (RFC 5480, RFC 8410), compressed points.
const keyHeaders: Record<SigningCurve, string> = {
  p256: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
  secp256k1: '3036301006072a8648ce3d020106052b8104000a032200',
  ed25519: '302a300506032b6570032100',
}

function keyDer({ curve, publicKey }: Signed): Buffer {
  return Buffer.from(keyHeaders[curve] + hex(publicKey), 'hex')
}

function verifyByNode(signed: Signed): boolean {
  const key = createPublicKey({ key: keyDer(signed), format: 'der', type: 'spki' })
  const hash = signed.curve === 'ed25519' ? null : 'sha256'
  const options = { key, dsaEncoding: 'ieee-p1363' } as const
  return verify(hash, signed.message, options, signed.signature)
}

function verifyByNoble({ curve, publicKey, message, signature }: Signed): boolean {
  const { verify: check } = curve === 'ed25519' ? ed25519 : weierstrass[curve]
  return check(signature, message, publicKey)
}

function verifyByOpenssl(signed: Signed): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-verify-'))
  const write = (name: string, content: Uint8Array) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const isEd25519 = signed.curve === 'ed25519'
  const key = ['-pubin', '-keyform', 'DER', '-inkey', write('key', keyDer(signed))]
  const signature = isEd25519 ? signed.signature : signatureDer(signed.signature)
  const files = ['-in', write('message', signed.message), '-sigfile', write('signature', signature)]
  const hash = isEd25519 ? [] : ['-digest', 'sha256']
  try {
    const { stdout } = spawnSync('openssl', [
      'pkeyutl',
      '-verify',
      '-rawin',
      ...hash,
      ...key,
      ...files,
    ])
    return String(stdout).includes('Verified Successfully')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A SEQUENCE of two INTEGERs, positive and as short as possible. */
function signatureDer(signature: Uint8Array): Buffer {
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].map((number) => {
    const start = number.findIndex((byte) => byte !== 0)
    const digits = number.subarray(start)
    const content = digits[0]! & 0x80 ? Uint8Array.of(0, ...digits) : digits
    return Buffer.from([2, content.length, ...content])
  })
  return Buffer.concat([Buffer.from([0x30, Buffer.concat(numbers).length]), ...numbers])
}

const pythonScript = fileURLToPath(new URL('signer-verify.py', import.meta.url))

/** Uses Debian's own Python, for which its packages are. */
function verifyByPython(signed: readonly Signed[]): boolean[] {
  const lines = signed.map(({ curve, publicKey, message, signature }) =>
    JSON.stringify({
      curve,
      publicKey: hex(publicKey),
      message: hex(message),
      signature: hex(signature),
    }),
  )
  const output = execFileSync('/usr/bin/python3', [pythonScript], { input: lines.join('\n') })
  return JSON.parse(output.toString()) as boolean[]
}
