/**
 * Secrets, and how they may look in memory or text.
 * @module
 */

/** Bytes that must be nowhere. */
export interface Secret {
  name: string
  bytes: Uint8Array
}

/** One form of a secret. */
export interface Needle {
  secret: string
  form: string
  bytes: Buffer
}

/** Forms in which a secret lies in memory: bytes and text. */
export function needlesOf(secrets: readonly Secret[]): Needle[] {
  return [...byteNeedles(secrets), ...textNeedles(secrets)]
}

/**
 * As bytes, and the other way round as numbers lie in a little-endian machine's limbs; each half for
 * itself, so that half a key is found, too.
 */
export function byteNeedles(secrets: readonly Secret[]): Needle[] {
  return secrets.flatMap(({ name, bytes }) => {
    const half = bytes.length / 2
    const reversed = Buffer.from(bytes).reverse()
    return [
      { form: 'first half', bytes: bytes.subarray(0, half) },
      { form: 'second half', bytes: bytes.subarray(half) },
      { form: 'first half of the number', bytes: reversed.subarray(half) },
      { form: 'second half of the number', bytes: reversed.subarray(0, half) },
    ].map((form) => ({ form: form.form, secret: name, bytes: Buffer.from(form.bytes) }))
  })
}

/** As text, of one and of two bytes a character. */
export function textNeedles(secrets: readonly Secret[]): Needle[] {
  return secrets.flatMap(({ name, bytes }) =>
    Object.entries(textForms(bytes)).flatMap(([form, text]) => [
      { secret: name, form, bytes: Buffer.from(text) },
      { secret: name, form: `${form}, UTF-16`, bytes: Buffer.from(text, 'utf16le') },
    ]),
  )
}

/** How the secret would be written by careless code. */
export function textForms(bytes: Uint8Array): Record<string, string> {
  const buffer = Buffer.from(bytes)
  const hex = buffer.toString('hex')
  return {
    hex,
    'upper-case hex': hex.toUpperCase(),
    // Padding would hide it in longer texts.
    base64: buffer.toString('base64').replace(/=+$/, ''),
    base64url: buffer.toString('base64url'),
    decimal: BigInt(`0x${hex}`).toString(),
    'list of numbers': bytes.join(),
  }
}

/** Names and forms of the secrets that a text holds. */
export function secretsIn(text: string, secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ name, bytes }) =>
    Object.entries(textForms(bytes))
      .filter(([, form]) => text.includes(form))
      .map(([form]) => `${name}: ${form}`),
  )
}
