/**
 * Secrets, and the forms they may have in memory or text.
 * @module
 */

/** Bytes that must not be found anywhere. */
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

/** The forms of secrets in memory: bytes and text. */
export function needlesOf(secrets: readonly Secret[]): Needle[] {
  return [...byteNeedles(secrets), ...textNeedles(secrets)]
}

/**
 * The bytes, also reversed, as numbers have them in a little-endian machine's limbs; each half
 * alone, to find half a key, too.
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

/** Text with one and with two bytes per character. */
export function textNeedles(secrets: readonly Secret[]): Needle[] {
  return secrets.flatMap(({ name, bytes }) =>
    Object.entries(textForms(bytes)).flatMap(([form, text]) => [
      { secret: name, form, bytes: Buffer.from(text) },
      { secret: name, form: `${form}, UTF-16`, bytes: Buffer.from(text, 'utf16le') },
    ]),
  )
}

/** How careless code would write the secret. */
export function textForms(bytes: Uint8Array): Record<string, string> {
  const buffer = Buffer.from(bytes)
  const hex = buffer.toString('hex')
  return {
    hex,
    'upper-case hex': hex.toUpperCase(),
    // Without padding, which longer texts do not have.
    base64: buffer.toString('base64').replace(/=+$/, ''),
    base64url: buffer.toString('base64url'),
    decimal: BigInt(`0x${hex}`).toString(),
    'list of numbers': bytes.join(),
  }
}

/** Names and forms of the secrets in a text. */
export function secretsIn(text: string, secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ name, bytes }) =>
    Object.entries(textForms(bytes))
      .filter(([, form]) => text.includes(form))
      .map(([form]) => `${name}: ${form}`),
  )
}
