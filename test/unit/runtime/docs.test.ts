/**
 * The configuration page says what the code does.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../runtime/src/config.ts'

const page = readFileSync(
  new URL('../../../runtime/docs/configuration.md', import.meta.url),
  'utf8',
)

test('every setting with its default, and no other', () => {
  const rows = [...page.matchAll(/^\| `(\w+\.\w+)` +\| `([^`]*)`/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  const settings = Object.entries(loadConfig(undefined)).flatMap(([section, values]) =>
    Object.entries(values).map(([name, value]) => [`${section}.${name}`, JSON.stringify(value)]),
  )
  expect(rows).toEqual(settings)
})
