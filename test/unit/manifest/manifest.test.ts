import { describe, expect, test } from 'vitest'
import { DocumentError, parseManifest } from '@causeway/manifest'
import { errorLines, manifestFaults } from './read.ts'
import { fullManifest } from './examples.ts'

function manifest(changes: object = {}, image: object = {}): string {
  const document = { ...fullManifest, ...changes, image: { ...fullManifest.image, ...image } }
  return JSON.stringify(document, null, 2)
}

const path = 'the path of a file inside the bundle, or an absolute path in the image'
const url = 'an absolute URL with the scheme https, http or file'
const hash = '64 hex digits, the SHA-256 of the image archive'

describe('a manifest', () => {
  test('is normalised', () => {
    expect(parseManifest(manifest(), 'manifest.json')).toStrictEqual({
      manifest: {
        name: 'hello',
        version: 1,
        entrypoint: 'run.sh',
        restartPolicy: 'onFailure',
        image: { url: fullManifest.image.url, sha256: 'ab'.repeat(32) },
      },
      warnings: [],
    })
  })

  test('has defaults', () => {
    const text = manifest({ name: null, restartPolicy: null, version: 1 })
    const { manifest: read } = parseManifest(text, 'manifest.json')
    expect(read.restartPolicy).toBe('no')
    expect(read).not.toHaveProperty('name')
  })

  test.each([
    ['no', 'no'],
    ['NO', 'no'],
    ['onfailure', 'onFailure'],
    ['Always', 'always'],
  ])('takes restartPolicy %s', (restartPolicy, expected) => {
    const read = parseManifest(manifest({ restartPolicy }), 'manifest.json')
    expect(read.manifest.restartPolicy).toBe(expected)
  })

  test.each(['run.sh', './run.sh', 'a/../run.sh', 'a b', '..run', '/bin/sh', '/bin/../sbin/x'])(
    'takes entrypoint %s as written',
    (entrypoint) => {
      const read = parseManifest(manifest({ entrypoint }), 'manifest.json')
      expect(read.manifest.entrypoint).toBe(entrypoint)
    },
  )

  test.each(['https://e.com/a', 'HTTPS://e.com/a', 'http://127.0.0.1:1/a', 'file:///images/a.tar'])(
    'takes image.url %s as written',
    (address) => {
      const read = parseManifest(manifest({}, { url: address }), 'manifest.json')
      expect(read.manifest.image.url).toBe(address)
    },
  )
})

describe('a wrong manifest', () => {
  test.each([
    [{ version: 2 }, `3:14: version: found 2, expected 1 or "1"`],
    [{ version: '1.0' }, `3:14: version: found "1.0", expected 1 or "1"`],
    [{ name: 5 }, '2:11: name: found 5, expected a string'],
    [{ entrypoint: '' }, `4:17: entrypoint: found "", expected ${path}`],
    [{ entrypoint: '..' }, `4:17: entrypoint: found "..", expected ${path}`],
    [{ entrypoint: 'a/../../b' }, `4:17: entrypoint: found "a/../../b", expected ${path}`],
    [{ entrypoint: '.' }, `4:17: entrypoint: found ".", expected ${path}`],
    [{ entrypoint: 'bin/' }, `4:17: entrypoint: found "bin/", expected ${path}`],
    [
      { entrypoint: 'a\0' },
      String.raw`4:17: entrypoint: found "a\u0000", expected a path without NUL`,
    ],
    [{ entrypoint: ['a'] }, `4:17: entrypoint: found an array, expected ${path}`],
    [
      { restartPolicy: 'on-failures' },
      '5:20: restartPolicy: found "on-failures", expected no, onFailure or always (did you mean onFailure?)',
    ],
    [{ restartPolicy: 3 }, '5:20: restartPolicy: found 3, expected no, onFailure or always'],
  ])('%j', (changes, line) => {
    expect(manifestFaults(manifest(changes))).toEqual([`manifest.json:${line}`])
  })

  test.each([
    ['example.com/a', `"example.com/a", expected ${url} (begin it with https://)`],
    ['ftp://e.com/a', `"ftp://e.com/a", expected ${url}`],
    ['https://', `"https://", expected ${url}`],
    ['https:e.com', `"https:e.com", expected ${url} (begin it with https://)`],
    ['file:a.tar', `"file:a.tar", expected ${url} (begin it with https://)`],
    ['https://e.com/a b', `"https://e.com/a b", expected ${url}`],
    ['https://me:word@e .com', `"https://…@e .com", expected ${url}`],
  ])('image.url %j', (address, found) => {
    const line = `manifest.json:7:12: image.url: found ${found}`
    expect(manifestFaults(manifest({}, { url: address }))).toEqual([line])
  })

  test.each([
    ['ab', `"ab", expected ${hash} (it has 2)`],
    [`${'ab'.repeat(31)}xy`, `"${'ab'.repeat(25)}"… (64 characters), expected ${hash}`],
    [`0x${'ab'.repeat(32)}`, `a string of 66 characters, expected ${hash} (leave out the 0x)`],
    ['sha256:ab', `"sha256:ab", expected ${hash} (leave out the sha256:)`],
    [null, `null, expected ${hash}`],
  ])('image.sha256 %j', (sha256, found) => {
    const line = `manifest.json:8:15: image.sha256: found ${found}`
    expect(manifestFaults(manifest({}, { sha256 }))).toEqual([line])
  })

  test('is told everything at once, in the order of the file', () => {
    const text = '{\n  "image": { "sha256": "x" },\n  "version": null,\n  "entrypoint": 7\n}'
    expect(manifestFaults(text)).toEqual([
      `manifest.json:2:12: image.url: found nothing, expected ${url}`,
      `manifest.json:2:24: image.sha256: found "x", expected ${hash}`,
      'manifest.json:3:14: version: found null, expected 1 or "1"',
      `manifest.json:4:17: entrypoint: found 7, expected ${path}`,
    ])
  })

  test('carries the file and the issues as data', () => {
    const read = () => parseManifest('{"version":1,"entrypoint":"a"}', 'job/manifest.json')
    expect(read).toThrow(DocumentError)
    expect(errorLines(read)).toEqual([
      'job/manifest.json:1:1: image: found nothing, expected an object with url and sha256',
    ])
    const expected = 'an object with url and sha256'
    const issue = { path: 'image', line: 1, column: 1, found: 'nothing', expected }
    expect(read).toThrow(expect.objectContaining({ file: 'job/manifest.json', issues: [issue] }))
  })
})

describe('an unknown field', () => {
  const unknown = 'found an unknown field, expected a known one'

  test('is wrong where it is one edit from a known field that is missing', () => {
    const text = manifest({ restartPolicy: undefined, restartPolcy: 'always' })
    const [fault, ...others] = manifestFaults(text)
    expect(fault).toContain(`: restartPolcy: ${unknown} (did you mean "restartPolicy"?)`)
    expect(others).toEqual([])
    const { warnings } = parseManifest(text, 'manifest.json', { isAccepted: true })
    expect(warnings).toEqual([expect.stringContaining('unknown field "restartPolcy" is ignored')])
  })

  test.each([
    ['entrypiont', 'entrypoint'],
    ['entry-points', 'entrypoint'],
    ['imagee', 'image'],
    ['entrypiotn', 'entrypoint'],
  ])('%s is told beside the missing %s', (written, meant) => {
    const text = manifest().replace(`"${meant}"`, `"${written}"`)
    const faults = manifestFaults(text)
    expect(faults).toHaveLength(2)
    expect(faults[0]).toContain(`: ${meant}: found nothing, expected `)
    expect(faults[1]).toContain(`${written}`)
    expect(faults[1]).toContain(`: ${unknown} (did you mean "${meant}"?)`)
  })

  test('further from an optional field is a warning', () => {
    const text = manifest({ restartPolicy: undefined, restrtPolcy: 'no' })
    expect(parseManifest(text, 'manifest.json').warnings).toEqual([
      expect.stringContaining(
        'unknown field "restrtPolcy" is ignored; did you mean "restartPolicy"',
      ),
    ])
  })

  test('is a warning beside the field it resembles', () => {
    const text = manifest({ entryPoint: 1, foo: {} }, { sha265: 1 })
    expect(parseManifest(text, 'manifest.json').warnings).toEqual([
      'manifest.json:9:5: unknown field "image.sha265" is ignored; did you mean "sha256"?',
      'manifest.json:11:3: unknown field "entryPoint" is ignored; did you mean "entrypoint"?',
      'manifest.json:12:3: unknown field "foo" is ignored',
    ])
  })

  test('may have a name from the prototype', () => {
    const text = manifest().replace('{', '{ "__proto__": { "image": 1 }, "constructor": 1,')
    const { manifest: read, warnings } = parseManifest(text, 'manifest.json')
    expect(warnings).toEqual([
      'manifest.json:1:3: unknown field "__proto__" is ignored',
      'manifest.json:1:32: unknown field "constructor" is ignored',
    ])
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  test('does not stand in for a missing one', () => {
    const faults = manifestFaults('{"__proto__": {"version": 1, "entrypoint": "x", "image": {}}}')
    expect(faults).toHaveLength(3)
  })
})
