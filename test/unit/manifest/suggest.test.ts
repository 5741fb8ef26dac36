import { expect, test } from 'vitest'
import { isOneEdit, suggest } from '../../../manifest/src/document/suggest.ts'

const words = ['id', 'slot', 'bundle', 'environment', 'networkRequests', 'startTime', 'endTime']

test.each([
  ['ID', 'id'],
  ['slots', 'slot'],
  ['slto', 'slot'],
  ['dlto', undefined],
  ['bundel', 'bundle'],
  ['enviroment', 'environment'],
  ['network_requests', 'networkRequests'],
  ['NETWORK-REQUEST', 'networkRequests'],
  ['start', undefined],
  ['x', undefined],
  ['', undefined],
  ['foo', undefined],
  ['e'.repeat(1e6), undefined],
])('%.20s means %s', (word, meant) => {
  expect(suggest(word, words)).toBe(meant)
})

test.each([
  ['entrypiont', 'entrypoint', true],
  ['entryPoint', 'entrypoint', true],
  ['entrypoin', 'entrypoint', true],
  ['entrypooint', 'entrypoint', true],
  ['entripoint', 'entrypoint', true],
  ['entry_point', 'entrypoint', true],
  ['entrypiotn', 'entrypoint', false],
  ['entry', 'entrypoint', false],
])('%s is one edit from %s: %j', (word, other, expected) => {
  expect(isOneEdit(word, other)).toBe(expected)
})
