/**
 * Seals the root secret under a passphrase: scrypt, AES-256-GCM; `docs/keys.md` has the format.
 * @module
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { orNone, orUndoNow } from '@causeway/service/failure'
import * as v from 'valibot'
import { wiping } from '../secret-bytes.ts'

/** Cost of scrypt (RFC 7914). */
interface ScryptCost {
  N: number
  r: number
  p: number
}

const secretBytes = 32
const tagBytes = 16
const cost: ScryptCost = { N: 2 ** 17, r: 8, p: 1 }
// A file with a higher cost would take gigabytes or minutes; the cost above takes 128 MiB once.
const maxMemory = 256 * 1024 * 1024
const maxPasses = 4

const hex = (bytes: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`)))
const powerOfTwo = v.check((value: number) => Number.isInteger(Math.log2(value)))
const count = v.pipe(v.number(), v.integer(), v.minValue(1))
const kdf = v.pipe(
  v.strictObject({
    name: v.literal('scrypt'),
    N: v.pipe(count, v.minValue(2), powerOfTwo),
    r: count,
    p: v.pipe(count, v.maxValue(maxPasses)),
    salt: hex(32),
  }),
  // The second condition is from RFC 7914: N is below 2^(16 r).
  v.check(({ N, r }) => 128 * N * r <= maxMemory && N < 2 ** (16 * r)),
)
const sealedRoot = v.strictObject({
  causeway: v.literal('root-secret'),
  version: v.literal(1),
  kdf,
  cipher: v.literal('aes-256-gcm'),
  iv: hex(12),
  sealed: hex(secretBytes + tagBytes),
})

const firstByte = 0x7b
const lastField = '"sealed":'

/** Whether a root secret's file is sealed under a passphrase. */
export function isSealed(content: Buffer): boolean {
  return content.length > secretBytes && content[0] === firstByte
}

/** Content of the file: one line of JSON. Everything before `"sealed"` is the additional data. */
export async function sealRoot(secret: Uint8Array, passphrase: Uint8Array): Promise<Buffer> {
  const [salt, iv] = [randomBytes(32), randomBytes(12)]
  const fields = {
    causeway: 'root-secret',
    version: 1,
    kdf: { name: 'scrypt', ...cost, salt: salt.toString('hex') },
    cipher: 'aes-256-gcm',
    iv: iv.toString('hex'),
  }
  const header = Buffer.from(`${JSON.stringify(fields).slice(0, -1)},`)
  const key = await stretch(passphrase, salt, cost)
  const cipher = wiping(key, () => createCipheriv('aes-256-gcm', key, iv)).setAAD(header)
  const body = [cipher.update(secret), cipher.final(), cipher.getAuthTag()]
  const sealed = Buffer.concat(body).toString('hex')
  return Buffer.concat([header, Buffer.from(`${lastField}"${sealed}"}\n`)])
}

/**
 * Opens what {@link sealRoot} made; the caller zeroes the secret.
 * @throws Error naming the file and what is wrong with it
 */
export async function unsealRoot(
  file: string,
  content: Buffer,
  passphrase: Uint8Array,
): Promise<Buffer> {
  const { kdf: given, iv, sealed } = parse(file, content)
  const key = await stretch(passphrase, Buffer.from(given.salt, 'hex'), given)
  const decipher = wiping(key, () => createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'hex')))
  try {
    decipher.setAAD(content.subarray(0, content.indexOf(lastField)))
    const bytes = Buffer.from(sealed, 'hex')
    decipher.setAuthTag(bytes.subarray(secretBytes))
    const secret = decipher.update(bytes.subarray(0, secretBytes))
    // GCM returns the plaintext before it has checked the tag.
    orUndoNow(
      () => decipher.final(),
      () => secret.fill(0),
    )
    return secret
  } catch {
    throw new Error(`${file}: wrong passphrase, or the file was changed`)
  }
}

function parse(file: string, content: Buffer): v.InferOutput<typeof sealedRoot> {
  const document = orNone((): unknown => JSON.parse(content.toString('utf8')))
  const result = v.safeParse(sealedRoot, document)
  if (result.success) return result.output
  const field = v.getDotPath(result.issues[0]) ?? 'the file'
  throw new Error(`${file}: ${field}: not as in a sealed root secret of version 1`)
}

function stretch(passphrase: Uint8Array, salt: Buffer, { N, r, p }: ScryptCost): Promise<Buffer> {
  const maxmem = 2 * 128 * r * (N + p + 2)
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, { N, r, p, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
