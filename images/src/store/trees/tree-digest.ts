/**
 * One digest of a tree: two trees of the same archive have the same digest, and changing a tree
 * changes it. It leaves out file contents, which {@link compareTrees} compares.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { walkTree } from './tree-walk.ts'

/** The summary of a whole tree. */
export interface TreeSummary {
  /** SHA-256 over every path with its type, mode, size, time and target; lower-case hex. */
  digest: string
  /** Files, folders and links, without the root itself. */
  entries: number
  /** Size on the disk. */
  diskBytes: number
}

const blockBytes = 512

/** Summarizes a tree. */
export async function summarizeTree(root: string, signal?: AbortSignal): Promise<TreeSummary> {
  const hash = createHash('sha256')
  const linked = new Set<bigint>()
  let entries = -1
  let blocks = 0n
  for await (const { path, facts, stat } of walkTree(root)) {
    signal?.throwIfAborted()
    hash.update(`${path}\0${facts}\0`, 'latin1')
    entries++
    if (stat === undefined || linked.has(stat.ino)) continue
    if (stat.nlink > 1n && !stat.isDirectory()) linked.add(stat.ino) // count each inode once
    blocks += stat.blocks
  }
  return { digest: hash.digest('hex'), entries, diskBytes: Number(blocks) * blockBytes }
}
