import { expect, test } from 'vitest'
import { suggest } from '../../../manifest/src/document/suggest.ts'

const words = ['id', 'slot', 'bundle', 'environment', 'networkRequests', 'startTime', 'endTime']

test.each([
  ['ID', 'id'],
  ['slots', 'slot'],
  ['slto', undefined],
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
