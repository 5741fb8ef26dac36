/**
 * Unpacks archives of the tests as the product does.
 *
 * @module
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativePaths } from '@causeway/native'
import { expect } from 'vitest'
import {
  unpackImage,
  type ImageErrorKind,
  type UnpackedImage,
  type UnpackOptions,
} from '../../../images/src/index.ts'
import type { Entry } from './tar-fixture.ts'
import { isRoot } from './temp-folder.ts'

/** Whose the trees are: root must name somebody else. */
export const owner = isRoot ? { uid: 61_234, gid: 61_235 } : undefined

/** Unpacks `folder/archive` to `folder/root`. */
export function unpack(
  folder: string,
  archive: Buffer,
  options: Partial<UnpackOptions> = {},
): Promise<UnpackedImage> {
  writeFileSync(join(folder, 'archive'), archive)
  const { unpacker } = nativePaths
  return unpackImage(join(folder, 'archive'), join(folder, 'root'), {
    unpacker,
    ...owner,
    ...options,
  })
}

/** The test's folder holds the archive and, after a success, the root; never a staging folder. */
export function leftovers(folder: string): string[] {
  return readdirSync(folder).filter((name) => name !== 'archive' && name !== 'root')
}

/** The archive is refused in these words, which name no path of the host, and nothing is left. */
export async function expectRefused(
  folder: string,
  archive: Buffer,
  message: RegExp | string,
  options: Partial<UnpackOptions> & { kind?: ImageErrorKind } = {},
): Promise<void> {
  const { kind = 'IMAGE_ARCHIVE_INVALID', ...rest } = options
  const failure = unpack(folder, archive, rest)
  await expect(failure).rejects.toMatchObject({ name: 'ImageError', kind })
  await expect(failure).rejects.toThrow(message)
  await expect(failure).rejects.not.toThrow(folder)
  expect(readdirSync(folder)).toEqual(['archive'])
}

/** Random enough that every compressed byte counts. */
export function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0, state = 1; at < length; at++) {
    state = (state * 48_271) % 0x7fffffff
    bytes[at] = state & 0xff
  }
  return bytes
}

/** A small file. */
export const hello: Entry = { name: 'etc/hello', body: 'hello\n' }
