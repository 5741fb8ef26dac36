/**
 * The cost of unpacking an image as the product does it, beside GNU tar.
 * @module
 */
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unpackImage } from '@causeway/images'
import { nativePaths } from '@causeway/native'
import type { BenchContext, Group } from '../group.ts'
import { descendantsOf } from '../machine/process-tree.ts'
import { residentBytes } from '../machine/process-figures.ts'
import type { Measured, Target } from '../row.ts'
import { canMakeMinbase, minbaseTar } from '../../support/minbase.ts'
import { builtRecipe } from '../../support/recipe-image.ts'

/** How an archive is packed and how others unpack it, and our target beside that. */
interface Format {
  name: string
  pack: string
  floor: string
  target?: Target
}

const tar = 'tar -xp --no-same-owner'

const formats: readonly Format[] = [
  {
    name: 'tar',
    pack: 'cat',
    floor: `${tar} -f "$1" -C "$2"`,
    target: { of: 'ratio', atMost: 2 },
  },
  {
    name: 'tar.gz',
    pack: 'gzip -6',
    floor: `${tar} -z -f "$1" -C "$2"`,
    target: { of: 'ratio', atMost: 1 },
  },
  {
    name: 'tar.xz',
    pack: 'xz -6 -T0',
    floor: `xz -dc -T0 "$1" | ${tar} -f - -C "$2"`,
    target: { of: 'ratio', atMost: 1.2 },
  },
  { name: 'tar.zst', pack: 'zstd -3', floor: `zstd -dc "$1" | ${tar} -f - -C "$2"` },
]

const owner = process.getuid?.() === 0 ? { uid: 61_234, gid: 61_235 } : {}
const timeoutMs = 300_000

export const unpack: Group = {
  name: 'unpack',
  summary: 'an image from its archive to its root, beside GNU tar with the same decoder',
  async measure(context) {
    const folder = await scratchFolder(context)
    try {
      const archive = await uncompressed(context, folder)
      const rows: Measured[] = []
      for (const format of formats) {
        rows.push(...(await measureFormat(format, archive, folder, context)))
      }
      return rows
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

/** In memory if possible: a disk's variation exceeds the differences measured here. */
async function scratchFolder({ folder }: BenchContext): Promise<string> {
  const memory = '/dev/shm'
  const where = await access(memory).then(
    () => memory,
    () => folder,
  )
  return mkdtemp(join(where, 'causeway-bench-unpack-'))
}

async function uncompressed({ progress, processes }: BenchContext, folder: string) {
  progress('the image')
  if (canMakeMinbase) return minbaseTar()
  const { path } = await builtRecipe('python')
  await shell(processes, 'xz -dc "$1" > "$2/image.tar"', path, folder)
  return join(folder, 'image.tar')
}

async function measureFormat(
  { name, pack, floor, target }: Format,
  uncompressedPath: string,
  folder: string,
  { rounds, progress, processes }: BenchContext,
): Promise<Measured[]> {
  progress(`${name}: packing`)
  const archive = join(folder, `image.${name}`)
  // The packed archive is kept beside the uncompressed one: xz takes longer than all the rest.
  const packed = `${uncompressedPath}${name.slice('tar'.length)}`
  const script = `[ -f "$1" ] || { ${pack} < "$2" > "$3" && mv "$3" "$1"; }; cp "$1" "$3"`
  await shell(processes, script, packed, uncompressedPath, archive)
  const values: number[] = []
  const floors: number[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${name}: round ${round} of ${rounds}`)
    floors.push(await inEmpty(folder, (root) => shell(processes, floor, archive, root)))
    values.push(await inEmpty(folder, (root) => unpackTo(archive, root)))
  }
  const most = await mostMemory(() => inEmpty(folder, (root) => unpackTo(archive, root)))
  await rm(archive)
  return [
    { name: `.${name}`, unit: 'ms', values, floors, ...(target && { target }) },
    { name: `.${name}: memory of its processes`, unit: 'MB', values: [most / 1e6] },
  ]
}

function unpackTo(archive: string, root: string): Promise<unknown> {
  const target = join(root, 'root')
  return unpackImage(archive, target, { unpacker: nativePaths.unpacker, ...owner })
}

function shell(processes: BenchContext['processes'], script: string, ...args: string[]) {
  return processes.run(['/bin/sh', '-c', script, 'sh', ...args], timeoutMs)
}

/** Milliseconds of the work alone. */
async function inEmpty(folder: string, work: (root: string) => Promise<unknown>): Promise<number> {
  const root = join(folder, 'target')
  await mkdir(root)
  const start = performance.now()
  await work(root)
  const ms = performance.now() - start
  await rm(root, { recursive: true })
  return ms
}

/** Highest number of resident bytes of all processes started meanwhile. */
async function mostMemory(work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const look = () => {
    const sizes = descendantsOf(process.pid).map(residentOf)
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0),
    )
  }
  const timer = setInterval(look, 5)
  try {
    await work()
    return most
  } finally {
    clearInterval(timer)
  }
}

/** 0 for a process that has ended meanwhile. */
function residentOf(pid: number): number {
  try {
    return residentBytes(pid)
  } catch {
    return 0
  }
}
