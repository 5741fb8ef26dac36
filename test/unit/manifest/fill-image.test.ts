import { describe, expect, test } from 'vitest'
import { DocumentError, fillImage, parseManifest } from '@causeway/manifest'

const image = { url: 'file:///images/one.tar.xz', sha256: 'ab'.repeat(32) }

describe('an image goes into a manifest', () => {
  test.each([
    '{ "version": "1", "entrypoint": "job.py" }',
    '\uFEFF{"version":"1","entrypoint":"job.py"}\n',
    '{"version": "1", "image": {"url": "", "sha256": ""}, "entrypoint": "job.py"}',
    '{"version": "1", "image": null, "entrypoint": "job.py"}',
  ])('%s', (text) => {
    const filled = fillImage(text, 'manifest.json', image)
    expect(parseManifest(filled, 'manifest.json').manifest).toMatchObject({
      entrypoint: 'job.py',
      image,
    })
  })

  test('and nothing else changes', () => {
    const text = '{\n    "version":   "1",\n    "mine": [1,  2],\n    "entrypoint": "job.py"\n}\n'
    const filled = fillImage(text, 'manifest.json', image)
    expect(filled.startsWith(text.slice(0, text.indexOf('\n}')))).toBe(true)
    expect(fillImage(filled, 'manifest.json', image)).toBe(filled)
  })
})

test.each([
  ['{"version": "1"}', /entrypoint: found nothing/],
  ['[]', /found an array, expected/],
  ['{"version": "1",}', /remove the comma/],
  ['{"image": 1, "image": 2}', /second/],
])('%s is refused', (text, message) => {
  expect(() => fillImage(text, 'manifest.json', image)).toThrow(DocumentError)
  expect(() => fillImage(text, 'manifest.json', image)).toThrow(message)
})
