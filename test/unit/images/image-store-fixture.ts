/**
 * A store with the real locks and the real unpacker, and an image for it.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  createImageStore,
  type ImageReference,
  type ImageStore,
  type ImageStoreOptions,
  type Owner,
} from '../../../images/src/index.ts'
import { nativePaths } from '../../../native/src/index.ts'
import { lockImages } from '../../../runtime/src/host/images.ts'
import { rootOf, type Entry } from './tar-fixture.ts'

/** A store in `folder/store`. */
export function storeIn(folder: string, more: Partial<ImageStoreOptions> = {}): ImageStore {
  return createImageStore({
    folder: join(folder, 'store'),
    allowLocal: true,
    unpacker: nativePaths.unpacker,
    lock: lockImages,
    ...more,
  })
}

/** Whose the trees are: nothing is ever unpacked as root. */
export const owner: Owner | undefined =
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

/** For {@link ImageStore.openTree}. */
export const owned = owner === undefined ? {} : { owner }

/** Names in one of the store's folders, in order. */
export function namesIn(folder: string, part: 'blobs' | 'trees'): string[] {
  return readdirSync(join(folder, 'store', part)).toSorted()
}

/** SHA-256 in hex. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** An image as a file, with these entries beside a root's own. */
export function imageFile(folder: string, name: string, ...entries: Entry[]): ImageReference {
  const archive = rootOf({ name: 'etc/name', body: name }, ...entries)
  const path = join(folder, `${name}.tar`)
  writeFileSync(path, archive)
  return { url: pathToFileURL(path).href, sha256: digestOf(archive) }
}

const child = fileURLToPath(new URL('image-store-child.ts', import.meta.url))

/** What another process does: see image-store-child.ts. */
export type ChildCall = 'fetch' | 'open-tree'

/** Another process that uses the same store; it is killed when disposed. */
export function otherProcess(folder: string, call: ChildCall, reference: ImageReference) {
  const args = ['--conditions=@causeway/source', '--import', 'tsx', child]
  const process_ = spawn(
    process.execPath,
    [...args, join(folder, 'store'), call, reference.url, reference.sha256],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]()
  const closed = once(process_, 'close')
  return {
    /** The next line that it prints. */
    line: async () => {
      const next = await lines.next()
      if (next.done === true) throw new Error(`the process that was to ${call} has ended`)
      return next.value
    },
    kill: async () => {
      process_.kill('SIGKILL')
      await closed
    },
    async [Symbol.asyncDispose]() {
      process_.kill('SIGKILL')
      await closed
    },
  }
}
