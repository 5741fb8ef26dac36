/**
 * Test vectors of Debian's package `python3-cryptography-vectors`.
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// Where Debian's own Python finds its modules.
const folder = '/usr/lib/python3/dist-packages/cryptography_vectors'

/** Fields of one test by their names, and the bracketed lines above it, as `[P-256,SHA-256]`. */
export interface Vector {
  section: string
  fields: Record<string, string>
}

export function readVectors(file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}

/**
 * Tests in the form of NIST's CAVP: `[section]` lines, then `name = value` lines.
 * @param between what separates two tests
 */
export function parseVectors(file: string, between = /(?:\r?\n){2,}/): Vector[] {
  const vectors: Vector[] = []
  let section = ''
  for (const block of readVectors(file).split(between)) {
    const lines = block.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
    const heads = lines.filter((line) => line.startsWith('['))
    if (heads.length > 0) section = heads.join('')
    const fields = lines.filter((line) => line.includes(' =') && !line.startsWith('[')).map(toField)
    if (fields.length > 0) vectors.push({ section, fields: Object.fromEntries(fields) })
  }
  return vectors
}

function toField(line: string): [string, string] {
  const [name = '', ...value] = line.split('=')
  return [name.trim(), value.join('=').trim()]
}

/** A field that must be there, as bytes. */
export function bytesOf({ fields }: Vector, name: string): Uint8Array {
  const text = fields[name]
  if (text === undefined) throw new Error(`no ${name} in ${JSON.stringify(fields)}`)
  return new Uint8Array(Buffer.from(text, 'hex'))
}

/** A field that is a number, as 32 bytes; the files leave leading zeros out. */
export function wordOf(vector: Vector, name: string): Uint8Array {
  const digits = vector.fields[name] ?? ''
  if (!/^[0-9a-f]{1,64}$/i.test(digits)) throw new Error(`no 32 bytes of ${name}: ${digits}`)
  return new Uint8Array(Buffer.from(digits.padStart(64, '0'), 'hex'))
}
