import { describe, expect, test } from 'vitest'
import { maxDocumentBytes, parseDeployment } from '@causeway/manifest'
import { deploymentFaults } from './read.ts'

const json = 'JSON (a string, number, object, array, true, false or null)'
const name = 'a field name in double quotes'

/** Of the processor's time: what runs beside it does not count. */
const mostMicroseconds = 5e6

describe('text that is not JSON', () => {
  test.each([
    ['', '1:1: found the end of the file, expected a value'],
    [' \n ', '2:2: found the end of the file, expected a value'],
    ['{', '1:2: found the end of the file, expected "}"'],
    ['{"id": "a",}', `1:12: found "}", expected ${name} (remove the comma before it)`],
    [
      '{"policy": {"methods": ["a_b",]}}',
      '1:31: found "]", expected a value (remove the comma before it)',
    ],
    ['{"id" "a"}', '1:7: found a string, expected ":" after the field name'],
    ['{"id": "a" "slot": 1}', '1:12: found a string, expected ","'],
    ['{"id": }', '1:8: found "}", expected a value'],
    ['{id: 1}', `1:2: found an unquoted word, expected ${json}`],
    [
      `{"id": 'a'}`,
      `1:8: found a single quote, expected ${json} (JSON strings take double quotes)`,
    ],
    ['{"id": 1 // note\n}', '1:10: found a comment, expected JSON, which has no comments'],
    [
      '{"id": "a',
      '1:8: found a string without its closing quote, expected a string in double quotes on one line',
    ],
    [
      '{"id": "\t"}',
      String.raw`1:8: found a raw control character in a string, expected an escape such as \t or \u0000`,
    ],
    [
      '{"id": "\\x"}',
      String.raw`1:8: found an unknown escape in a string, expected one of \" \\ \/ \b \f \n \r \t \u`,
    ],
    [
      '{"id": "\\u12"}',
      String.raw`1:8: found a broken \u escape in a string, expected \u and four hex digits`,
    ],
    ['{"id": 01}', '1:9: found a number, expected ","'],
    ['{"id": 1.}', '1:8: found a number that breaks off, expected a number'],
    ['{"id": NaN}', `1:8: found an unquoted word, expected ${json}`],
    ['{"id": -}', `1:8: found a stray character, expected ${json}`],
    ['{} {}', '1:4: found "{", expected the end of the file'],
    ['\uFEFF\uFEFF{}', `1:1: found a stray character, expected ${json}`],
    ['[]', '1:1: found an array, expected an object'],
    ['"a secret"', '1:1: found a string of 8 characters, expected an object'],
    ['null', '1:1: found null, expected an object'],
    ['['.repeat(1e5), '1:33: found a value nested 33 levels deep, expected at most 32 levels'],
    [
      '{"a":[}'.repeat(1e4),
      '1:113: found a value nested 33 levels deep, expected at most 32 levels',
    ],
    ['x'.repeat(maxDocumentBytes + 1), '1:1: found 1048577 bytes, expected at most 1048576 bytes'],
    [
      `"${'é'.repeat(maxDocumentBytes / 2)}"`,
      '1:1: found 1048578 bytes, expected at most 1048576 bytes',
    ],
  ])('%.30j', (text, line) => {
    expect(deploymentFaults(text)[0]).toBe(`d.json:${line}`)
  })

  test('is reported once a line', () => {
    const text = '{\n"id": "a",,\n"slot": tru\n,\n"memory" "x" "y",\n"keys": "k,\n"origin": 1\n}'
    expect(deploymentFaults(text)).toEqual([
      `d.json:2:11: found ",", expected ${name}`,
      `d.json:3:9: found an unquoted word, expected ${json}`,
      'd.json:5:10: found a string, expected ":" after the field name',
      'd.json:6:9: found a string without its closing quote, expected a string in double quotes on one line',
    ])
  })

  test('never shows its words', () => {
    const lines = deploymentFaults('{"environment": {"A" "secret"\n"B": secret\n"C": "secret}}')
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.join()).not.toContain('secret')
  })

  test.each([',', 'x ', '"a" ', '{"a":', '1\n', '}', ',\n', '"'])(
    'costs little, even when it is a megabyte of %j',
    (part) => {
      const text = part.repeat(maxDocumentBytes / part.length)
      const before = process.cpuUsage()
      expect(deploymentFaults(text).length).toBeLessThanOrEqual(20)
      const { user, system } = process.cpuUsage(before)
      expect(user + system).toBeLessThan(mostMicroseconds)
    },
    30_000,
  )
})

describe('positions', () => {
  test.each([
    ['\uFEFF{"slot": -1}', '1:10'],
    ['{\r\n"slot": -1}', '2:9'],
    ['{\r"slot": -1}', '2:9'],
    ['{"id": "é😀", "slot": -1}', '1:23'],
    ['{"id": "\\u2028\u2028", "slot": -1}', '1:27'],
  ])('%j', (text, place) => {
    const line = `d.json:${place}: slot: found -1, expected an integer from 0`
    expect(deploymentFaults(text)).toEqual([line])
  })
})

describe('a repeated field', () => {
  test('names both lines', () => {
    expect(deploymentFaults('{\n"id": "a",\n"slot": 1,\n"id": "b",\n"id": "c"\n}')).toEqual([
      'd.json:4:1: id: found a second "id" (the first is on line 2), expected it only once',
      'd.json:5:1: id: found a second "id" (the first is on line 2), expected it only once',
    ])
  })

  test('is found in inner and unknown objects, beside other faults', () => {
    const text = '{"slot": -1, "x": [{"a": 1, "\\u0061": 2}], "origin": {"kind": "", "kind": "k"}}'
    expect(deploymentFaults(text)).toEqual([
      'd.json:1:10: slot: found -1, expected an integer from 0',
      expect.stringMatching(/^d\.json:1:14: x: found an unknown field/),
      'd.json:1:29: x[0].a: found a second "a" (the first is on line 1), expected it only once',
      'd.json:1:67: origin.kind: found a second "kind" (the first is on line 1), expected it only once',
    ])
  })
})

describe('names and values in messages', () => {
  test.each([
    ['{"a\\u001b[31m b": 1}', String.raw`["a\u001b[31m b"]`],
    ['{"\\u202e": 1}', String.raw`["\u202e"]`],
    [`{"${'z'.repeat(99)}": 1}`, `["${'z'.repeat(50)}"… (99 characters)]`],
    ['{"": 1}', '[""]'],
  ])('%j', (text, shown) => {
    const { warnings } = parseDeployment(text, 'd.json', { isAccepted: true })
    expect(warnings).toEqual([`d.json:1:2: unknown field "${shown}" is ignored`])
    const [fault] = deploymentFaults(text)
    expect(fault?.startsWith(`d.json:1:2: ${shown}: found an unknown field`)).toBe(true)
  })

  test('stop after fifty lines; the issues do not', () => {
    const entries = Array.from({ length: 60 }, (_, index) => `"V${index}": 1`)
    const lines = deploymentFaults(`{"environment": {${entries.join()}}}`)
    expect(lines).toHaveLength(51)
    expect(lines.at(-1)).toBe('d.json: and 10 more')
  })
})
