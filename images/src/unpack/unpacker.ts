/**
 * A running `bridge-unpack`, and what its end means.
 *
 * @module
 */
import { basename } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { ImageError, type ImageErrorKind } from '../image-error.ts'
import { startChild } from '../start-child.ts'

/** What is unpacked and whose it becomes. */
export interface UnpackerOptions {
  /** Path of `bridge-unpack`. */
  program: string
  /** Absolute; empty, and nobody else's. */
  folder: string
  /** Needed as root. */
  owner: { uid: number; gid: number } | undefined
  /** Largest uncompressed archive. */
  maxBytes: number
  /** Most headers of the archive. */
  maxEntries: number
  /** Decompresses; empty when the input is not compressed. */
  decoder: readonly string[]
  /** The archive: a descriptor to read, or what is written to `input`. */
  archive: number | 'pipe'
}

/** What the archive held. */
export interface Unpacked {
  /** Uncompressed size of the archive in bytes. */
  bytes: number
  /** Files, folders and links made. */
  entries: number
  /** Devices, fifos and whiteouts left out. */
  skipped: number
  /** True when all of it is in one folder, which is not the root's own. */
  wrapped: boolean
}

/** A started unpacker. */
export interface Unpacker {
  /** Null when it reads a descriptor. */
  input: Writable | null
  /**
   * Settles when it and its decoder have ended.
   *
   * @throws ImageError IMAGE_ARCHIVE_INVALID, IMAGE_TOO_LARGE, IMAGE_BUILD_FAILED
   */
  result: Promise<Unpacked>
  /** Ends it at once, and its decoder with it. */
  kill: () => void
}

/**
 * Starts it in `options.folder`, without an environment.
 *
 * @throws system errors of a program that cannot be started
 */
export async function startUnpacker(options: UnpackerOptions): Promise<Unpacker> {
  const { program, folder, archive } = options
  const child = await startChild(program, argumentsOf(options), {
    cwd: folder,
    env: {},
    stdio: [archive, 'pipe', 'pipe'],
  })
  const stdout = collectTail(child.stdout!)
  const stderr = collectTail(child.stderr!)
  const result = new Promise<Unpacked>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const unpacked = code === 0 ? parseUnpacked(stdout()) : undefined
      if (unpacked) resolve(unpacked)
      else reject(failureOf(stderr(), signal ?? `status ${code}`, options.decoder[0]))
    })
  })
  result.catch(() => {}) // Whoever waits for it gets the error; nobody may be waiting yet.
  return { input: child.stdin, result, kill: () => void child.kill('SIGKILL') }
}

/** What it says of its work; it has read a hostile archive, so that is looked at, too. */
function parseUnpacked(text: string): Unpacked | undefined {
  const form = /^\{"entries":(\d+),"bytes":(\d+),"skipped":(\d+),"wrapped":(?:true|false)\}\n$/
  return form.test(text) ? (JSON.parse(text) as Unpacked) : undefined
}

function argumentsOf({ owner, maxBytes, maxEntries, decoder }: UnpackerOptions): string[] {
  const identity = owner === undefined ? [] : ['--uid', `${owner.uid}`, '--gid', `${owner.gid}`]
  const limits = ['--max-bytes', `${maxBytes}`, '--max-entries', `${maxEntries}`]
  return [...identity, '--parent', `${process.pid}`, ...limits, '--', ...decoder]
}

const kinds: Readonly<Record<string, ImageErrorKind>> = {
  INVALID: 'IMAGE_ARCHIVE_INVALID',
  TOO_LARGE: 'IMAGE_TOO_LARGE',
  DECODER: 'IMAGE_ARCHIVE_INVALID',
  HOST: 'IMAGE_BUILD_FAILED',
}

/** From its own line, which begins with a code word; a decoder spoke before it, the cause first. */
function failureOf(stderr: string, end: string, decoder = ''): ImageError {
  const lines = stderr.split('\n').filter((line) => line !== '')
  const at = lines.findLastIndex((line) => kinds[wordOf(line)] !== undefined)
  const line = lines[at] ?? ''
  const word = wordOf(line)
  const text = line.slice(word.length + 1)
  if (word === 'INVALID' || word === 'TOO_LARGE') return new ImageError(kinds[word]!, text)
  if (word === 'HOST') {
    return new ImageError(kinds[word]!, `this host cannot unpack the image: ${text}`)
  }
  if (word === 'DECODER') return cannotUnpack(wordsOf(decoder, at > 0 ? lines[0]! : text))
  return cannotUnpack(`bridge-unpack ended by ${end}`)
}

function wordOf(line: string): string {
  return line.slice(0, line.indexOf(' '))
}

/** With the program's name for its path, and without control characters. */
function wordsOf(decoder: string, line: string): string {
  const words = line.replace(`${decoder}: `, '').replace(/\p{Cc}/gu, '?')
  return `${basename(decoder)}: ${words.slice(0, 300)}`
}

/** The error for an archive that cannot be decompressed, or brings a program down. */
export function cannotUnpack(reason: string, cause?: unknown): ImageError {
  const message = `the image archive cannot be unpacked: ${reason}`
  return new ImageError('IMAGE_ARCHIVE_INVALID', message, { cause })
}

const maxTailBytes = 4096

/** A hostile archive can make a program complain for ever: only the end is kept. */
function collectTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-maxTailBytes)
  })
  return () => tail.toString('utf8')
}
