/**
 * Attacks on places: nothing outside of the target is made or changed, by the rules and by the
 * confinement, each alone.
 */
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { nativePaths } from '@causeway/native'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { ImageError } from '../../../images/src/index.ts'
import { buildUnpacker } from '../native/program-build.ts'
import { attacks, type Attack } from './attack-archives.ts'
import { rootOf } from './tar-fixture.ts'
import { test } from './temp-folder.ts'
import { leftovers, owner, unpack } from './unpack-fixture.ts'

const builds = {
  'as it is': [],
  'by the rules alone': ['-DNO_LANDLOCK'],
  'by the confinement alone': ['-DNO_NAME_RULES'],
  'by neither': ['-DNO_LANDLOCK', '-DNO_NAME_RULES'],
} as const

type Build = keyof typeof builds

const programs = new Map<Build, string>([['as it is', nativePaths.unpacker]])
let programFolder: string

beforeAll(async () => {
  programFolder = await mkdtemp(join(tmpdir(), 'causeway-unpackers-'))
  for (const [name, flags] of Object.entries(builds).slice(1)) {
    const file = name.replaceAll(' ', '-')
    const options = ['-O1', '-static', ...flags]
    programs.set(name as Build, await buildUnpacker(programFolder, file, options))
  }
}, 120_000)

afterAll(() => rmSync(programFolder, { recursive: true, force: true }))

/** A folder that the unpacker's user could change, beside where it works. */
function makeOutside(folder: string): string {
  const outside = join(folder, 'outside')
  mkdirSync(outside, { mode: 0o700 })
  writeFileSync(join(outside, 'secret'), 'untouched', { mode: 0o600 })
  if (owner !== undefined) {
    for (const path of [outside, join(outside, 'secret')]) chownSync(path, owner.uid, owner.gid)
  }
  return outside
}

/** All that an attack could change of it. */
function describeTree(path: string): unknown[] {
  const { mode, nlink, uid, gid, mtimeMs, ino, size } = lstatSync(path)
  const facts = { path, mode, nlink, uid, gid, mtimeMs, ino, size }
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return [{ ...facts, link: readlinkSync(path) }]
  if (!stat.isDirectory()) return [{ ...facts, content: readFileSync(path, 'latin1') }]
  const below = readdirSync(path).map((name) => describeTree(join(path, name)))
  return [facts, ...below.flat()]
}

interface Attempt {
  /** Undefined when it was unpacked. */
  error: unknown
  before: unknown[]
  after: unknown[]
}

async function attempt(folder: string, attack: Attack, build: Build): Promise<Attempt> {
  const outside = makeOutside(folder)
  const place = (text?: string) => text?.replace('OUT', outside)
  const entries = attack.entries.map((entry) => ({
    ...entry,
    name: place(entry.name)!,
    ...(entry.link !== undefined && { link: place(entry.link)! }),
    // Long names and pax paths keep their length records: as long as the place is.
    ...(typeof entry.body === 'string' && { body: replaceOut(entry.body, outside) }),
  }))
  const before = describeTree(outside)
  const error: unknown = await unpack(folder, rootOf(...entries), {
    unpacker: programs.get(build)!,
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, before, after: describeTree(outside) }
}

/** In a pax record the number before it counts the bytes. */
function replaceOut(body: string, outside: string): string {
  return body.replace(/^(\d+)( path=)OUT(.*\n)$/s, (_, _length, key: string, rest: string) => {
    const size = Buffer.byteLength(key + outside + rest)
    const digits = String(size + 3).length
    return `${size + digits}${key}${outside}${rest}`
  })
}

function outcomeOf(error: unknown): string {
  if (error === undefined) return 'unpacked'
  if (error instanceof ImageError && error.kind === 'IMAGE_ARCHIVE_INVALID') return error.message
  return `failed: ${inspect(error)}`
}

/** Devices, and files with the rights of their owner, anywhere below. */
function findSpecial(path: string): string[] {
  if (!existsSync(path)) return []
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return []
  if (stat.isDirectory()) return readdirSync(path).flatMap((name) => findSpecial(join(path, name)))
  return !stat.isFile() || (stat.mode & 0o6000) !== 0 ? [path] : []
}

describe.each(['as it is', 'by the rules alone'] as const)('%s', (build) => {
  test.for(attacks.map((attack) => [attack.title, attack] as const))(
    '%s',
    async ([, attack], { folder }) => {
      const { error, before, after } = await attempt(folder, attack, build)
      expect(after).toEqual(before)
      expect(leftovers(folder)).toEqual(['outside'])
      expect(existsSync(join(folder, 'root'))).toBe(attack.refused === undefined)
      expect(outcomeOf(error)).toMatch(attack.refused ?? 'unpacked')
      expect(findSpecial(join(folder, 'root'))).toEqual([])
    },
  )
})

/** Hard links from folder to folder need its second version. */
const landlockAbi = (
  JSON.parse(spawnSync(nativePaths.launcher, ['--probe'], { encoding: 'utf8' }).stdout) as {
    landlockAbi: number
  }
).landlockAbi

describe.skipIf(landlockAbi < 2)('by the confinement alone (needs Landlock)', () => {
  test.for(attacks.map((attack) => [attack.title, attack] as const))(
    '%s',
    async ([, attack], { folder }) => {
      const { before, after } = await attempt(folder, attack, 'by the confinement alone')
      expect(after).toEqual(before)
      expect(leftovers(folder)).toEqual(['outside'])
    },
  )
})

describe('by neither', () => {
  test.for(attacks.filter(({ tame }) => !tame).map((attack) => [attack.title, attack] as const))(
    '%s gets out, so the tests above mean something',
    async ([, attack], { folder }) => {
      const { before, after } = await attempt(folder, attack, 'by neither')
      expect(after).not.toEqual(before)
    },
  )
})

test('there are attacks, and most would get out', () => {
  expect(attacks.length).toBeGreaterThanOrEqual(21)
  expect(attacks.filter(({ tame }) => !tame).length).toBeGreaterThanOrEqual(21)
})
