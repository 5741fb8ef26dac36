/**
 * Turns unpacked packages into an image's folder: adds and removes what the recipe names.
 *
 * @module
 */
import { chmod, lstat, mkdir, readFile, readdir, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { errorCode } from '@causeway/service/failure'
import { makeFolderInRoot, writeInRoot } from '../root/write-in-root.ts'
import { runTool } from '../tool.ts'
import type { Recipe } from './recipe.ts'

/** Makes the recipe's symlinks, and the folders that the top-level symlinks lead to. */
export async function makeSymlinks(root: string, recipe: Recipe): Promise<void> {
  for (const [path, target] of Object.entries(recipe.symlinks)) {
    await makeFolder(join(root, dirname(path)))
    await symlink(target, join(root, path))
    if (!path.includes('/')) await makeFolder(join(root, target))
  }
}

/**
 * Turns the unpacked packages into the recipe's image. A package may have put a symlink anywhere,
 * so every write stays inside the root.
 */
export async function finishTree(root: string, recipe: Recipe): Promise<void> {
  if (recipe.join !== undefined) await joinFiles(root, recipe.join)
  await removeMatching(root, recipe.remove)
  if (recipe.applets !== undefined) await linkApplets(root, recipe.applets)
  for (const [path, mode] of Object.entries(recipe.folders)) {
    await chmod(makeFolderInRoot(root, path), Number.parseInt(mode, 8))
  }
  for (const [path, lines] of Object.entries(recipe.files)) await writeLines(root, path, lines)
  for (const [path, lines] of Object.entries(recipe.programs ?? {})) {
    await writeLines(root, path, lines, 0o755)
  }
  await dropEmptyLibraries(root, recipe)
  await chmod(root, 0o755)
}

/** Writes lines as a text file below the root. */
export async function writeLines(
  root: string,
  path: string,
  lines: readonly string[],
  mode = 0o644,
): Promise<void> {
  await writeInRoot(root, path, lines.map((line) => `${line}\n`).join(''), { mode })
}

/** Sets the exact mode, independent of the umask: else the image would depend on who builds it. */
async function makeFolder(path: string): Promise<void> {
  const existing = await lstat(path).catch(() => undefined) // missing: create it below
  if (existing !== undefined) return
  await makeFolder(dirname(path))
  await mkdir(path)
  await chmod(path, 0o755)
}

async function joinFiles(root: string, { from, to }: { from: string; to: string }): Promise<void> {
  const names = (await readdir(join(root, from))).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(root, from, name), 'utf8')))
  await writeLines(
    root,
    to,
    texts.map((text) => text.trimEnd()),
  )
}

async function removeMatching(root: string, patterns: readonly string[]): Promise<void> {
  const expressions = patterns.map(toExpression)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!expressions.some((expression) => expression.test(relative(root, path)))) continue
    await rm(path, { recursive: true, force: true })
  }
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\?]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${source}$`)
}

/** Links the program's tools. The program lists them itself: apt chose it for this architecture. */
async function linkApplets(root: string, program: string): Promise<void> {
  const list = await runTool(join(root, program), ['--list-full'])
  for (const path of list.split('\n').filter((line) => line.includes('/'))) {
    const link = join(root, path.startsWith('usr/') ? path : `usr/${path}`)
    await makeFolder(dirname(link))
    await symlink(relative(dirname(link), join(root, program)), link).catch(ignoreExisting)
  }
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error
}

/** Removes empty lib32 and lib64: not every architecture has them. */
async function dropEmptyLibraries(root: string, recipe: Recipe): Promise<void> {
  for (const [path, target] of Object.entries(recipe.symlinks)) {
    if (!/^lib\d/.test(path)) continue
    const folder = join(root, target)
    const files = await readdir(folder).catch(() => []) // missing
    if (files.length > 0) continue
    await rm(join(root, path), { force: true })
    await rm(folder, { recursive: true, force: true })
  }
}
