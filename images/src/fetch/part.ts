/**
 * An unfinished archive: `<path>.part`, which outlives an interrupted transfer and its process.
 * `<path>.part.json` beside it records whether the server still has the same entity. The fetch lock
 * admits one process at a time.
 *
 * @module
 */
import { createHash, type Hash } from 'node:crypto'
import { constants, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readJsonRecord } from '../json-record.ts'
import type { Resume } from './source.ts'
import { syncFolder } from './sync-folder.ts'

/** Content of `<path>.part.json`. */
interface PartRecord extends Omit<Resume, 'bytes'> {
  /** Digest of the URL, because the URL may carry a secret. */
  source: string
}

const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW

export class Part {
  readonly #file: FileHandle
  readonly #path: string
  readonly #source: string
  #hash: Hash = createHash('sha256')
  #bytes = 0
  #isResumable: boolean

  /** The bytes of an earlier transfer of the same URL; undefined without one. */
  readonly resume: Resume | undefined

  private constructor(file: FileHandle, path: string, source: string, resume?: Resume) {
    this.#file = file
    this.#path = path
    this.#source = source
    this.resume = resume
    this.#isResumable = resume !== undefined
  }

  /** Opens the part of the archive at `path`, empty or from an earlier transfer. */
  static async open(path: string, url: URL): Promise<Part> {
    const file = await open(`${path}.part`, flags, 0o600)
    const { size } = await file.stat()
    const source = createHash('sha256').update(url.href).digest('hex')
    const record = await readRecord(`${path}.part.json`)
    if (record === undefined || record.source !== source || size === 0) {
      return new Part(file, path, source)
    }
    const { validator, totalBytes } = record
    const known = { bytes: size, validator, ...(totalBytes === undefined ? {} : { totalBytes }) }
    return new Part(file, path, source, known)
  }

  /** Bytes hashed so far, including those of the earlier transfer. */
  get bytes(): number {
    return this.#bytes
  }

  /** Hashes the bytes that the earlier transfer left. */
  async readAgain(onBytes: (count: number) => void): Promise<void> {
    const stream = this.#file.createReadStream({
      start: 0,
      highWaterMark: 1 << 20,
      autoClose: false,
    })
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      this.#take(chunk)
      onBytes(chunk.length)
    }
  }

  /** Empties the part for a new entity, which can be continued later if it has a validator. */
  async restart(entity: { validator?: string; totalBytes?: number | undefined }): Promise<void> {
    const { validator, totalBytes } = entity
    // In this order, bytes of one entity never stand beside the validator of another.
    await rm(`${this.#path}.part.json`, { force: true })
    await this.#file.truncate(0)
    this.#hash = createHash('sha256')
    this.#bytes = 0
    this.#isResumable = validator !== undefined
    if (validator === undefined) return
    const record = { source: this.#source, validator, totalBytes }
    await writeFile(`${this.#path}.part.json`, JSON.stringify(record), { mode: 0o600 })
  }

  async append(chunk: Uint8Array): Promise<void> {
    await this.#file.writeFile(chunk)
    this.#take(chunk)
  }

  /** SHA-256 of all bytes so far; the part takes no more bytes afterwards. */
  digest(): string {
    return this.#hash.digest('hex')
  }

  /** Renames the part to its final name and syncs it, so that it survives a power cut. */
  async publish(): Promise<void> {
    await this.#file.sync()
    await rename(`${this.#path}.part`, this.#path)
    await rm(`${this.#path}.part.json`, { force: true })
    await syncFolder(dirname(this.#path))
  }

  /** Keeps the part only if a later transfer can continue it. */
  async putAside(): Promise<void> {
    if (!this.#isResumable || (await this.#file.stat()).size === 0) await this.discard()
  }

  async discard(): Promise<void> {
    await removePart(this.#path)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  #take(chunk: Uint8Array): void {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
  }
}

/** Removes the part of the archive at `path`. */
export async function removePart(path: string): Promise<void> {
  await rm(`${path}.part.json`, { force: true })
  await rm(`${path}.part`, { force: true })
}

async function readRecord(path: string): Promise<PartRecord | undefined> {
  const record = await readJsonRecord<PartRecord>(path)
  return typeof record?.validator === 'string' ? (record as PartRecord) : undefined
}
