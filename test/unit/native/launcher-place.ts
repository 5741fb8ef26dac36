/**
 * Roots for jobs of the launcher: an image of one static busybox, and folders for what a job writes.
 *
 * @module
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SpawnOptions } from 'node:child_process'
import { folder, isRoot, ordinaryUid, probe, run, starters, type Starter } from './job.ts'

// Not those that a daemon on this host gives to jobs, and others for each process that runs tests.
const firstUid = 1_960_000_000 + (process.pid % 1000) * 3
export const jobUid = firstUid
export const imageUid = firstUid + 1
export const rangeSize = 65_536
export const firstOfRange = 1_970_000_000 + (process.pid % 500) * rangeSize

const busybox = ['/bin/busybox', '/usr/bin/busybox'].find(isStatic)

/** Whether it is a program without an interpreter: the image holds no library. */
function isStatic(path: string): boolean {
  try {
    return !readFileSync(path).subarray(0, 4096).includes('/lib')
  } catch {
    return false
  }
}

const applets = ['sh', 'cat', 'ls', 'stat', 'sleep', 'setsid', 'touch', 'chown', 'mkdir', 'rm']

/** Host paths. */
export interface Place {
  folder: string
  tree: string
  root: string
  upper: string
  work: string
  stage: string
}

/** How a job gets its root. */
export interface Kind {
  kind: string
  starter: Starter
  /** The image's folder becomes `/`; else it is `/job` beside what a tracer needs. */
  pivots: boolean
  /** Uid and gid on the host of what the job writes. */
  owner: number
  /** Uid and gid of the image on the host. */
  treeOwner: number
  /** Uid of the job as it sees itself. */
  seenUid: number
  options: string[]
}

const [asRoot, asUser] = [starters[0]!, starters.at(-1)!]
const ownUid = isRoot ? ordinaryUid : (process.getuid?.() ?? 0)
const shifted = { treeOwner: imageUid, starter: asRoot }
const plain = { owner: ownUid, treeOwner: ownUid, starter: asUser }

const rootKinds: Kind[] = [
  {
    kind: "root's job beside a tracer",
    pivots: false,
    ...shifted,
    owner: jobUid,
    seenUid: jobUid,
    options: ['--uid', `${jobUid}`, '--gid', `${jobUid}`, '--lower-owner', `${imageUid}`],
  },
  {
    kind: "root's job in a root of its own",
    pivots: true,
    ...shifted,
    owner: firstOfRange,
    seenUid: 0,
    options: ['--range', `${firstOfRange}`, '--lower-owner', `${imageUid}`],
  },
]

const userKinds: Kind[] = [
  { kind: "a user's job beside a tracer", pivots: false, ...plain, seenUid: ownUid, options: [] },
  { kind: "a user's job in a root of its own", pivots: true, ...plain, seenUid: 0, options: [] },
]

const canUse = (starter: Starter) => busybox !== undefined && probe(starter).namespaces

/** The kinds that this host allows. */
export const kinds: Kind[] = [
  ...(isRoot && canUse(asRoot) ? rootKinds : []),
  ...(canUse(asUser) ? userKinds : []),
]

let places = 0

/** A place of its own for a job of that kind. */
export function makePlace({ owner, treeOwner }: Kind): Place {
  const own = join(folder, `place-${++places}`)
  const paths = Object.fromEntries(
    ['tree', 'root', 'upper', 'work', 'stage'].map((name) => [name, join(own, name)]),
  ) as Omit<Place, 'folder'>
  for (const path of [own, paths.root, paths.stage]) {
    mkdirSync(path)
    if (owner === ownUid) chownSync(path, owner, owner)
  }
  makeTree(paths.tree)
  give(paths.tree, treeOwner)
  return { folder: own, ...paths }
}

function makeTree(tree: string): void {
  for (const name of ['bin', 'etc', 'tmp', 'dev']) mkdirSync(join(tree, name), { recursive: true })
  copyFileSync(busybox!, join(tree, 'bin/busybox'))
  chmodSync(join(tree, 'bin/busybox'), 0o755)
  for (const name of applets) symlinkSync('busybox', join(tree, 'bin', name))
  writeFileSync(join(tree, 'etc/marker'), 'of the image\n')
}

/** Gives a tree to a user. */
function give(path: string, uid: number): void {
  lchownSync(path, uid, uid)
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    lchownSync(join(entry.parentPath, entry.name), uid, uid)
  }
}

/** Where the job finds a file of its root. */
export const inRoot = ({ pivots }: Kind, path: string) => (pivots ? path : `/job${path}`)

/** Options for namespaces with an overlay over the image. */
export function overlay({ options }: Kind, { root, tree, upper, work }: Place): string[] {
  const layers = ['--root', root, '--lower', tree, '--upper', upper, '--work', work]
  return [...options, '--namespaces', ...layers]
}

/** The same, with a root for the program. */
export function stage(kind: Kind, place: Place): string[] {
  return [...overlay(kind, place), '--stage', place.stage, ...(kind.pivots ? ['--pivot'] : [])]
}

/** Runs a script of the image's shell there. */
export function runScript(
  kind: Kind,
  place: Place,
  script: string,
  more: string[] = [],
  spawnOptions: SpawnOptions = {},
) {
  const path = ['--env', `PATH=${inRoot(kind, '/bin')}`]
  const program = [inRoot(kind, '/bin/busybox'), 'sh', '-c', script]
  return run(
    kind.starter,
    [...stage(kind, place), ...path, ...more, '--', ...program],
    spawnOptions,
  )
}

/** Lines of this process's mount table that name a folder. */
export function mountsBelow(path: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(path))
}
