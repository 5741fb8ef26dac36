/**
 * The Node that runs us as a program of an image: one file, and libraries that packages bring.
 *
 * @module
 */
import { chmod, copyFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ImageError } from '../image-error.ts'
import { hashFile } from '../store/blob.ts'
import { runTool } from '../tool.ts'

/** Digest of the program, lower-case hex: part of what an image with it is made of. */
export async function hostNodeDigest(): Promise<string> {
  const found = await hashFile(process.execPath)
  if (found === undefined) throw failed(`${process.execPath} has vanished`)
  return found.sha256
}

/**
 * Copies the program to `path` below `root`.
 *
 * @throws ImageError IMAGE_BUILD_FAILED naming libraries that the tree has not
 */
export async function copyHostNode(root: string, path: string): Promise<void> {
  await copyFile(process.execPath, join(root, path))
  await chmod(join(root, path), 0o755)
  const present = new Set((await readdir(root, { recursive: true })).map((name) => basename(name)))
  const missing = (await neededLibraries()).filter((name) => !present.has(name))
  if (missing.length === 0) return
  const found = `${process.execPath} needs ${missing.join(', ')}`
  throw failed(`${found}; expected an official build of Node, whose libraries the recipe brings`)
}

/** File names of the libraries and the loader. */
async function neededLibraries(): Promise<string[]> {
  const lines = (await runTool('ldd', [process.execPath])).split('\n')
  const paths = lines.map((line) => /(?:=> )?(\/\S+) \(/.exec(line)?.[1])
  return paths.filter((path) => path !== undefined).map((path) => basename(path))
}

function failed(message: string): ImageError {
  return new ImageError('IMAGE_BUILD_FAILED', message)
}
