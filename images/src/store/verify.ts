/**
 * Looks for damage: checks the archive's digest and each tree's summary, and compares each tree
 * byte by byte with a fresh one from the archive.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { countProgress, type OnProgress } from '../progress.ts'
import { withFolder } from '../root/remove-tree.ts'
import type { Owner } from '../root/write-in-root.ts'
import type { FetchOptions } from './archives.ts'
import { hashFile } from '../fetch/blob.ts'
import { compareTrees } from './trees/compare-trees.ts'
import type { ListedImage, ListedTree } from './inventory.ts'
import { useLockPath } from './layout.ts'
import { unpackTo, type TreeMaker } from './trees/make-tree.ts'
import { whileLocked, type TryLock } from './store-lock.ts'
import { summarizeTree } from './trees/tree-digest.ts'
import { readTree } from './trees/trees.ts'

/** The result of verifying one image. */
export interface VerifiedImage {
  sha256: string
  /** Damage found, one sentence each; empty when the image is intact. */
  problems: readonly string[]
  /** Checks that could not be made, one sentence each. */
  unchecked: readonly string[]
}

/** The parts of the store that verify an image. */
export interface Verifier extends TreeMaker {
  tryLock: TryLock
}

/** Verifies one image, and keeps others from removing it meanwhile. */
export async function verifyImage(
  verifier: Verifier,
  image: ListedImage,
  options: FetchOptions,
): Promise<VerifiedImage> {
  const lock = useLockPath(verifier.layout, image.sha256)
  return whileLocked(verifier.tryLock, lock, 'shared', options, async () => {
    const problems = await archiveProblems(image, options)
    const unchecked: string[] = []
    const isArchiveRight = image.archive !== undefined && problems.length === 0
    for (const tree of image.trees) {
      const wrong = await summaryProblem(verifier, tree, options)
      if (wrong !== undefined) problems.push(wrong)
      else if (!isArchiveRight)
        unchecked.push(`contents of ${tree.path}: the store has no intact archive`)
      else problems.push(...(await contentProblems(verifier, image, tree, options)))
    }
    return { sha256: image.sha256, problems, unchecked }
  })
}

async function archiveProblems(
  { archive, sha256 }: ListedImage,
  { signal, onProgress }: FetchOptions,
): Promise<string[]> {
  if (archive === undefined) return []
  const progress = countProgress('verify', archive.bytes, onProgress)
  const found = await hashFile(archive.path, (bytes) => progress.add(bytes), signal)
  progress.finish()
  if (found?.sha256 === sha256) return []
  return [`archive ${archive.path} has sha256 ${found?.sha256 ?? '(no regular file)'}`]
}

async function summaryProblem(
  { layout }: Verifier,
  { path }: ListedTree,
  { signal }: FetchOptions,
): Promise<string | undefined> {
  const name = dirname(path).slice(layout.trees.length + 1)
  const meta = (await readTree(layout, name))?.meta
  if (meta === undefined) return `tree ${path} has vanished`
  const { digest, entries } = await summarizeTree(path, signal)
  if (entries !== meta.entries) {
    return `tree ${path} has ${entries} entries, expected ${meta.entries}`
  }
  if (digest === meta.digest) return undefined
  return `tree ${path} has been changed: its summary is ${digest}, expected ${meta.digest}`
}

async function contentProblems(
  verifier: Verifier,
  image: ListedImage,
  tree: ListedTree,
  options: FetchOptions,
): Promise<string[]> {
  const staging = stagingOf(verifier, tree)
  return withFolder(staging, async () => {
    const again = join(staging, 'root')
    const path = join(verifier.layout.blobs, image.sha256)
    await unpackTo(verifier, { path }, again, { ...(await ownerOf(tree)), ...withDetail(options) })
    const differences = await compareTrees(again, tree.path, options.signal)
    return differences.map((difference) => `tree ${tree.path}: ${difference}`)
  })
}

/** Named like an unpacking process's staging folder, so that a later sweep removes it if we die. */
function stagingOf({ layout }: Verifier, { path }: ListedTree): string {
  const name = dirname(path).slice(layout.trees.length + 1)
  return join(layout.trees, `${name}.${randomBytes(8).toString('hex')}.removed`)
}

async function ownerOf({ path }: ListedTree): Promise<{ owner?: Owner }> {
  const { uid, gid } = await stat(path)
  return uid === process.getuid?.() ? {} : { owner: { uid, gid } }
}

function withDetail({ onProgress, ...rest }: FetchOptions): FetchOptions {
  const detail = 'again, to compare'
  const report: OnProgress = (progress) => onProgress?.({ ...progress, detail })
  return { ...rest, onProgress: report }
}
