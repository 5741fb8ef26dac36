/** Receipts of images that were built here: which archive has which digest. @module */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { noneOn } from '@causeway/service/failure'
import { readJsonRecord } from '../json-record.ts'
import { hashFile } from '../fetch/blob.ts'

/** Stored beside an image. */
export interface Receipt {
  sha256: string
  bytes: number
  /** Package to version. */
  packages: Record<string, string>
}

const ending = '.json'

/** Path of an image's receipt. */
export function receiptOf(image: string): string {
  return `${image}${ending}`
}

/**
 * Reads an image that was built. It counts only when its receipt is there and its bytes are the
 * receipt's.
 *
 * @returns undefined when it is missing, half there or damaged
 */
export async function readBuilt(
  image: string,
  signal?: AbortSignal,
): Promise<{ sha256: string; bytes: number } | undefined> {
  const receipt = await readJsonRecord<Receipt>(receiptOf(image))
  if (receipt === undefined) return undefined
  const found = await hashFile(image, undefined, signal)
  return found?.sha256 === receipt.sha256 ? found : undefined
}

/**
 * Looks for a built image by its digest. Only receipts are read, and an image whose receipt names
 * the digest.
 *
 * @param folder see buildRecipe; it may be missing
 * @returns where it lies, as a `file:` URL
 */
export async function findBuilt(
  folder: string,
  sha256: string,
  signal?: AbortSignal,
): Promise<URL | undefined> {
  // Images that another user built are not this one's.
  const names = (await readdir(folder).catch(noneOn('ENOENT', 'EACCES'))) ?? []
  for (const name of names) {
    if (!name.endsWith(ending)) continue
    const image = join(folder, name.slice(0, -ending.length))
    if ((await readJsonRecord<Receipt>(receiptOf(image)))?.sha256 !== sha256) continue
    if ((await readBuilt(image, signal)) !== undefined) return pathToFileURL(image)
  }
  return undefined
}
