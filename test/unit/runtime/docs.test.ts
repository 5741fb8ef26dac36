/**
 * The configuration page says what the code does.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../runtime/src/config/config.ts'

const page = readFileSync(
  new URL('../../../runtime/docs/configuration.md', import.meta.url),
  'utf8',
)

/** Settings and their defaults, nested tables by dotted names. */
function flatten(values: object, prefix = ''): [name: string, value: string][] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, JSON.stringify(value)] as [string, string]],
  )
}

test('every setting with its default, and no other', () => {
  const rows = [...page.matchAll(/^\| `([\w.]+\.\w+)` +\| `([^`]*)`/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  const byName = (a: unknown[], b: unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1)
  expect(rows.toSorted(byName)).toEqual(flatten(loadConfig(undefined)).toSorted(byName))
})
