/**
 * Unpacked archives in a store: made once in a staging folder, renamed when they are whole, shared
 * by all deployments and never written to afterwards.
 *
 * @module
 */
import { readFile, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { errorCode } from '../../image-error.ts'
import { removeTree } from '../../root/remove-tree.ts'
import { runTool } from '../../tool.ts'
import { treeVersion, type Layout } from '../layout.ts'

/** What is known of a tree, in its `meta.json`; the time of that file is that of its last use. */
export interface TreeMeta {
  sha256: string
  /** Where the archive came from, without secrets; absent when that is not known. */
  url?: string
  /** Size of the archive. */
  archiveBytes: number
  /** Size of the archive uncompressed. */
  bytes: number
  entries: number
  diskBytes: number
  /** See TreeSummary. */
  digest: string
  /** Unix ms. */
  made: number
  /** The boot in which it was made: until `synced` is there, only in that one it is surely whole. */
  bootId: string
}

/** A tree in the store. */
export interface Tree {
  name: string
  /** Folder with `root`, `meta.json` and `synced`. */
  folder: string
  meta: TreeMeta
  /** Unix ms. */
  lastUsed: number
}

/** The parts of a tree's name. */
export interface TreeName {
  sha256: string
  version: number
  uid: number
}

/** Name of the tree that this version makes for files of `uid`. */
export function treeName(sha256: string, uid: number): string {
  return `${sha256}-${treeVersion}-${uid}`
}

/** Undefined for what is no finished tree. */
export function parseTreeName(name: string): TreeName | undefined {
  const match = /^([0-9a-f]{64})-(\d+)-(\d+)$/.exec(name)
  if (match === null) return undefined
  return { sha256: match[1] ?? '', version: Number(match[2]), uid: Number(match[3]) }
}

/** The tree of this name; undefined when it is missing, half there or perhaps cut by a crash. */
export async function readTree({ trees }: Layout, name: string): Promise<Tree | undefined> {
  const folder = join(trees, name)
  const meta = await readMeta(join(folder, 'meta.json'))
  if (meta === undefined || meta.sha256 !== parseTreeName(name)?.sha256) return undefined
  if (!(await isFolder(join(folder, 'root')))) return undefined
  if (meta.bootId !== (await bootId()) && !(await exists(join(folder, 'synced')))) return undefined
  const { mtimeMs } = await stat(join(folder, 'meta.json'))
  return { name, folder, meta, lastUsed: mtimeMs }
}

/** Makes the finished staging folder the tree of this name. */
export async function publishTree(
  { trees }: Layout,
  name: string,
  staging: string,
  meta: Omit<TreeMeta, 'bootId'>,
): Promise<void> {
  const text = JSON.stringify({ ...meta, bootId: await bootId() })
  await writeFile(join(staging, 'meta.json'), `${text}\n`, { mode: 0o600 })
  await moveAside(trees, name)
  await rename(staging, join(trees, name))
}

/** Writes a tree to the disk, after which it survives a power cut. */
export async function syncTree({ folder }: Pick<Tree, 'folder'>): Promise<void> {
  if (await exists(join(folder, 'synced'))) return
  await runTool('sync', ['-f', folder])
  await writeFile(join(folder, 'synced'), '', { mode: 0o600 })
}

/** Removes a tree, or what is left of one, so that no moment shows half of it. */
export async function removeStoredTree({ trees }: Layout, name: string): Promise<void> {
  const aside = await moveAside(trees, name)
  if (aside !== undefined) await removeTree(aside)
}

/** Renames what has this name; jobs that still run in it are not disturbed by that. */
async function moveAside(trees: string, name: string): Promise<string | undefined> {
  const aside = join(trees, `${name}.${randomBytes(8).toString('hex')}.removed`)
  try {
    await rename(join(trees, name), aside)
    return aside
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Names of the trees of an image, or of what interrupted processes left of one. */
export async function treeNamesOf({ trees }: Layout, sha256: string): Promise<string[]> {
  return (await readdir(trees)).filter((name) => name.startsWith(`${sha256}-`))
}

async function readMeta(path: string): Promise<TreeMeta | undefined> {
  try {
    const meta = JSON.parse(await readFile(path, 'utf8')) as Partial<TreeMeta>
    return typeof meta.digest === 'string' ? (meta as TreeMeta) : undefined
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined) // missing
  return found?.isDirectory() === true
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined // missing
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}
