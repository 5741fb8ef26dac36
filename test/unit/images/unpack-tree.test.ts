/**
 * Trees of real distributions are what GNU tar makes of them, devices and set-id bits aside.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { nativePaths } from '@causeway/native'
import { expect } from 'vitest'
import { unpackImage } from '../../../images/src/index.ts'
import { canMakeMinbase, minbaseTar, needsMinbase } from '../../support/minbase.ts'
import { builtRecipe } from '../../support/recipe-image.ts'
import { test } from './temp-folder.ts'
import { owner } from './unpack-fixture.ts'

/** Path → everything that is compared. */
type Tree = Map<string, Record<string, unknown>>

function readTree(root: string): { tree: Tree; devices: number } {
  const tree: Tree = new Map()
  const firstNames = new Map<bigint, string>()
  let devices = 0
  const visit = (name: string) => {
    const path = join(root, name)
    const stat = lstatSync(path, { bigint: true })
    const { mode, mtimeNs, size, ino, nlink } = stat
    const facts = { mode: Number(mode) & 0o1777, mtimeNs }
    if (stat.isDirectory()) {
      tree.set(name, { type: 'folder', ...facts })
      for (const child of readdirSync(path).toSorted()) visit(join(name, child))
    } else if (stat.isSymbolicLink()) {
      tree.set(name, {
        type: 'link',
        mtimeNs,
        target: readlinkSync(path, 'buffer').toString('hex'),
      })
    } else if (stat.isFile()) {
      const content = createHash('sha256').update(readFileSync(path)).digest('hex')
      if (!firstNames.has(ino)) firstNames.set(ino, name)
      const sameAs = firstNames.get(ino)
      tree.set(name, { type: 'file', ...facts, size, content, nlink, sameAs })
    } else devices++
  }
  visit('')
  return { tree, devices }
}

async function compare(folder: string, archive: string) {
  const theirs = join(folder, 'theirs')
  mkdirSync(theirs)
  execFileSync('tar', ['-xpf', archive, '--no-same-owner', '-C', theirs], { stdio: 'ignore' })
  const ours = join(folder, 'ours')
  const unpacked = await unpackImage(archive, ours, { unpacker: nativePaths.unpacker, ...owner })
  const expected = readTree(theirs)
  const found = readTree(ours)
  // The root itself is always open.
  expected.tree.get('')!['mode'] = 0o755
  const different = [...expected.tree].filter(
    ([name, facts]) => !isEqual(facts, found.tree.get(name)),
  )
  expect(different.slice(0, 5)).toEqual([])
  expect([...found.tree.keys()].filter((name) => !expected.tree.has(name))).toEqual([])
  return { found, expected, unpacked }
}

function isEqual(one: Record<string, unknown>, other?: Record<string, unknown>): boolean {
  return Object.keys(one).every((key) => one[key] === other?.[key])
}

test('the python recipe', { timeout: 300_000 }, async ({ folder }) => {
  const { path } = await builtRecipe('python')
  const { found } = await compare(folder, path)
  expect(found.tree.size).toBeGreaterThan(500)
})

test.skipIf(!canMakeMinbase)(
  `a Debian minbase (${needsMinbase})`,
  { timeout: 600_000 },
  async ({ folder }) => {
    const { found, expected, unpacked } = await compare(folder, await minbaseTar())
    expect(found.devices).toBe(0)
    expect(unpacked.skipped).toBe(expected.devices)
    expect(unpacked.entries).toBe(found.tree.size)
    const hardLinks = [...found.tree].filter(([name, { sameAs }]) => sameAs && sameAs !== name)
    expect(hardLinks.length).toBeGreaterThan(0)
    expect(found.tree.size).toBeGreaterThan(5000)
  },
)
