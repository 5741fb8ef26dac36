import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DocumentError, decodeSs58, encodeSs58 } from '@causeway/manifest'
import { parseDeployment, parseManifest } from '@causeway/manifest'
import { fullDeployment, fullManifest } from './examples.ts'

/** Runs the parser; passes on whatever is not a well-formed DocumentError. */
function survives(text: string): boolean {
  for (const parse of [parseManifest, parseDeployment]) {
    try {
      parse(text, 'f.json')
    } catch (error) {
      if (!(error instanceof DocumentError) || error.issues.length === 0) throw error
    }
  }
  return true
}

/** Whether the syntax of `text` is accepted, whatever the fields are. */
function isSyntaxOk(text: string): boolean {
  try {
    parseDeployment(text, 'f.json')
    return true
  } catch (error) {
    // Faults of fields have a path; a whole document that is no object has "expected an object".
    const [first] = (error as DocumentError).issues
    return first?.path !== '' || first.expected === 'an object'
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const structure = ['{', '}', '[', ']', ',', ':', ' ', '\n', '\r', '\t', '//', '/*', '*/', "'"]
const scalars = ['"', '"a"', '"id":', '1', '-', '0', '.5', 'e9', 'null', 'true', '\\', '\\u00']
const characters = ['\u00a0', '\ufeff', '\u2028', '\0', '😀']
const tokens = fc.constantFrom(...structure, ...scalars, ...characters)
const tokenText = fc.array(tokens, { maxLength: 40 }).map((parts) => parts.join(''))

const ours = [...Object.keys(fullDeployment), ...Object.keys(fullManifest)]
const inner = ['kind', 'source', 'url', 'sha256', 'startTime', 'endTime', 'methods', 'p256']
const odd = ['__proto__', 'constructor', 'prototype', 'toString', '', '=', '\0']
const names = fc.constantFrom(...ours, ...inner, ...odd)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(names, tie('tree'), { maxKeys: 6, noNullPrototype: false }),
  ),
}))

describe('fuzz', () => {
  test('any text', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(text, (text) => {
        expect(survives(text)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('any run of tokens, read as JSON.parse reads it', () => {
    const agrees = (text: string) => {
      survives(text)
      const json = text.startsWith('\ufeff') ? text.slice(1) : text
      expect(isSyntaxOk(text)).toBe(isJson(json))
    }
    fc.assert(fc.property(tokenText, agrees), { numRuns: 3000 })
  })

  test('any JSON with our names', () => {
    const text = tree.map((value) => JSON.stringify(value))
    fc.assert(
      fc.property(text, (text) => {
        expect(survives(text)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('a real document with one cut and one insertion', () => {
    const texts = [fullManifest, fullDeployment].map((example) => JSON.stringify(example, null, 1))
    const damage = fc.tuple(fc.constantFrom(...texts), fc.nat(), fc.nat(30), tokenText)
    const damaged = damage.map(([text, at, cut, added]) => {
      const offset = at % text.length
      return text.slice(0, offset) + added + text.slice(offset + cut)
    })
    fc.assert(
      fc.property(damaged, (text) => {
        expect(survives(text)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('environment values never reach a message', () => {
    const value = fc.oneof(
      fc.constant('s3cr3t\0'),
      fc.constant(['s3cr3t']),
      fc.constant({ s3cr3t: 1 }),
    )
    const environment = fc.oneof(
      fc.dictionary(fc.string(), value),
      fc.constant(['s3cr3t']),
      fc.constant('s3cr3t'),
    )
    fc.assert(
      fc.property(environment, fc.nat(400), (secrets, cut) => {
        const text = JSON.stringify({ slot: -1, environment: secrets })
        for (const damaged of [
          text,
          text.slice(0, cut),
          text.slice(0, cut) + text.slice(cut + 1),
        ]) {
          expect(messageOf(damaged)).not.toContain('s3cr3t')
        }
      }),
    )
  })

  test('addresses', () => {
    const account = fc.tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(16383))
    fc.assert(
      fc.property(account, ([publicKey, prefix]) => {
        expect(decodeSs58(encodeSs58(publicKey, prefix))).toEqual({ prefix, publicKey })
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeSs58(text)).toThrow(TypeError)
      }),
    )
  })
})

function messageOf(text: string): string {
  try {
    return parseDeployment(text, 'f.json').warnings.join()
  } catch (error) {
    return (error as Error).message
  }
}
