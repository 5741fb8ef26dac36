/**
 * Compares two trees byte by byte: the one in the store, and a fresh one from its archive.
 *
 * @module
 */
import { open } from 'node:fs/promises'
import { errorCode, orUndo } from '@causeway/service/failure'
import { hostPath, walkTree, type TreeEntry } from './tree-walk.ts'

const maxDifferences = 10
const chunkBytes = 1 << 20

/**
 * Finds where `found` differs from `expected`.
 *
 * @returns one sentence for each of the first 10 paths, in order; none when they are equal
 */
export async function compareTrees(
  expected: string,
  found: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const wanted = await factsByPath(expected)
  const differences: string[] = []
  const note = (path: string, what: string) =>
    differences.push(`/${Buffer.from(path.slice(1), 'latin1').toString('utf8')} ${what}`)
  for await (const entry of walkTree(found)) {
    signal?.throwIfAborted()
    const facts = wanted.get(entry.path)
    wanted.delete(entry.path)
    const what = facts === undefined ? 'is unexpected' : await difference(facts, entry)
    if (what !== undefined) note(entry.path, what)
    if (differences.length === maxDifferences) return differences
  }
  for (const path of wanted.keys()) note(path, 'is missing')
  return differences.slice(0, maxDifferences)

  async function difference(facts: string, { path, facts: other, stat }: TreeEntry) {
    if (facts !== other)
      return `is "${other}", expected "${facts}" (mode, owner, links, size, time)`
    if (stat?.isFile() !== true) return undefined
    const same = await sameContent(hostPath(expected, path), hostPath(found, path))
    return same ? undefined : 'has different content'
  }
}

async function factsByPath(root: string): Promise<Map<string, string>> {
  const facts = new Map<string, string>()
  for await (const entry of walkTree(root)) facts.set(entry.path, entry.facts)
  return facts
}

async function sameContent(one: Buffer, other: Buffer): Promise<boolean> {
  try {
    await using pair = await openBoth(one, other)
    const [left, right] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)]
    for (;;) {
      const [a, b] = await Promise.all([pair.one.read(left), pair.other.read(right)])
      if (a.bytesRead !== b.bytesRead) return false
      if (a.bytesRead === 0) return true
      if (!left.subarray(0, a.bytesRead).equals(right.subarray(0, b.bytesRead))) return false
    }
  } catch (error) {
    // Files that their owner may not read cannot be compared; treat them as equal.
    if (errorCode(error) === 'EACCES') return true
    throw error
  }
}

async function openBoth(onePath: Buffer, otherPath: Buffer) {
  const one = await open(onePath, 'r')
  const other = await orUndo(
    () => open(otherPath, 'r'),
    () => one.close(),
  )
  return {
    one,
    other,
    [Symbol.asyncDispose]: async () => void (await Promise.all([one.close(), other.close()])),
  }
}
