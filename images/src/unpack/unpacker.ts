/** Runs `bridge-unpack`, and turns its exit into a result or an error. @module */
import { basename } from 'node:path'
import type { Writable } from 'node:stream'
import { ImageError, type ImageErrorKind } from '../image-error.ts'
import { collectTail } from '../tool.ts'
import { startChild } from '@causeway/native/process'

/** Options of a `bridge-unpack` process. */
export interface UnpackerOptions {
  /** Path of `bridge-unpack`. */
  program: string
  /** Absolute path of an empty folder that nobody else uses. */
  folder: string
  /** Required as root. */
  owner: { uid: number; gid: number } | undefined
  /** Limit of the uncompressed archive in bytes. */
  maxBytes: number
  /** Limit of headers in the archive. */
  maxEntries: number
  /** Command that decompresses the archive; empty when it is not compressed. */
  decoder: readonly string[]
  /** The archive: a descriptor to read, or a pipe that is written through `input`. */
  archive: number | 'pipe'
}

/** Counts of an unpacked archive. */
export interface Unpacked {
  /** Uncompressed size of the archive in bytes. */
  bytes: number
  /** Number of files, folders and links created. */
  entries: number
  /** Number of devices, fifos and whiteouts left out. */
  skipped: number
  /** True when everything is in one folder that is not one of a root's own. */
  wrapped: boolean
}

/** A started unpacker. */
export interface Unpacker {
  /** Null when the unpacker reads a descriptor. */
  input: Writable | null
  /**
   * Settles when the unpacker and its decoder have ended.
   *
   * @throws ImageError IMAGE_ARCHIVE_INVALID, IMAGE_TOO_LARGE, IMAGE_BUILD_FAILED
   */
  result: Promise<Unpacked>
  /** Kills the unpacker and its decoder at once. */
  kill: () => void
}

/**
 * Starts `bridge-unpack` in `options.folder`, without an environment.
 *
 * @throws system errors when it cannot be started
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
  result.catch(() => {}) // Nobody may await the result yet; a later await still gets the error.
  return { input: child.stdin, result, kill: () => void child.kill('SIGKILL') }
}

/** Parses the unpacker's report strictly: the unpacker has read a hostile archive. */
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

/** The unpacker's own line begins with a code word; its decoder's lines come before. */
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

/** Replaces the program's path by its name, and control characters by `?`. */
function wordsOf(decoder: string, line: string): string {
  const words = line.replace(`${decoder}: `, '').replace(/\p{Cc}/gu, '?')
  return `${basename(decoder)}: ${words.slice(0, 300)}`
}

/** The error for an archive that cannot be decompressed, or that crashes a program. */
export function cannotUnpack(reason: string, cause?: unknown): ImageError {
  const message = `the image archive cannot be unpacked: ${reason}`
  return new ImageError('IMAGE_ARCHIVE_INVALID', message, { cause })
}
