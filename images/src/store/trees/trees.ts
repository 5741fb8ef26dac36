/**
 * The unpacked archives in a store. A tree is made once in a staging folder, renamed when it is
 * complete, shared by all deployments, and never written to again.
 *
 * @module
 */
import { readFile, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { noneOn } from '@causeway/service/failure'
import { readJsonRecord } from '../../json-record.ts'
import { removeTree } from '../../root/remove-tree.ts'
import { runTool } from '../../tool.ts'
import { treeVersion, type Layout } from '../layout.ts'

/** The content of a tree's `meta.json`; the file's modification time is the tree's last use. */
export interface TreeMeta {
  sha256: string
  /** URL of the archive's origin, without secrets; absent when that is not known. */
  url?: string
  /** Size of the archive. */
  archiveBytes: number
  /** Uncompressed size of the archive. */
  bytes: number
  entries: number
  diskBytes: number
  /** SHA-256 as in TreeSummary. */
  digest: string
  /** Unix ms. */
  made: number
  /** The boot that made the tree: before `synced` exists, the tree is surely whole only then. */
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

/** Name of the tree of this image and `treeVersion` whose files belong to `uid`. */
export function treeName(sha256: string, uid: number): string {
  return `${sha256}-${treeVersion}-${uid}`
}

/** Undefined for any other name. */
export function parseTreeName(name: string): TreeName | undefined {
  const match = /^([0-9a-f]{64})-(\d+)-(\d+)$/.exec(name)
  if (match === null) return undefined
  return { sha256: match[1] ?? '', version: Number(match[2]), uid: Number(match[3]) }
}

/** Reads the tree of this name; undefined when it is missing, incomplete or perhaps cut off. */
export async function readTree({ trees }: Layout, name: string): Promise<Tree | undefined> {
  const folder = join(trees, name)
  const meta = await readMeta(join(folder, 'meta.json'))
  if (meta === undefined || meta.sha256 !== parseTreeName(name)?.sha256) return undefined
  if (!(await isFolder(join(folder, 'root')))) return undefined
  if (meta.bootId !== (await bootId()) && !(await exists(join(folder, 'synced')))) return undefined
  const { mtimeMs } = await stat(join(folder, 'meta.json'))
  return { name, folder, meta, lastUsed: mtimeMs }
}

/** Publishes the finished staging folder as the tree of this name. */
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

/** Writes a tree to the disk; afterwards it survives a power cut. */
export async function syncTree({ folder }: Pick<Tree, 'folder'>): Promise<void> {
  if (await exists(join(folder, 'synced'))) return
  await runTool('sync', ['-f', folder])
  await writeFile(join(folder, 'synced'), '', { mode: 0o600 })
}

/** Removes a tree or its remains. It is renamed first, so that nobody sees half of it. */
export async function removeStoredTree({ trees }: Layout, name: string): Promise<void> {
  const aside = await moveAside(trees, name)
  if (aside !== undefined) await removeTree(aside)
}

/** Renames the tree of this name; jobs that still run in it are not disturbed. */
async function moveAside(trees: string, name: string): Promise<string | undefined> {
  const aside = join(trees, `${name}.${randomBytes(8).toString('hex')}.removed`)
  return rename(join(trees, name), aside).then(() => aside, noneOn('ENOENT'))
}

/** Names of an image's trees, including the leftovers of interrupted processes. */
export async function treeNamesOf({ trees }: Layout, sha256: string): Promise<string[]> {
  return (await readdir(trees)).filter((name) => name.startsWith(`${sha256}-`))
}

async function readMeta(path: string): Promise<TreeMeta | undefined> {
  const meta = await readJsonRecord<TreeMeta>(path)
  return typeof meta?.digest === 'string' ? (meta as TreeMeta) : undefined
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
