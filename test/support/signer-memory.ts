/**
 * Looks for secrets in the whole memory of another process (proc(5), /proc/PID/mem).
 * @module
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import type { Needle } from './signer-needles.ts'

/** A part of a process's memory. */
interface Mapping {
  start: number
  end: number
  /** The mapped file, or the kernel's name; empty when anonymous. */
  name: string
  /** Whether it is never swapped and never in a core file. */
  isLocked: boolean
  isReadable: boolean
}

/** A place where a secret was found. */
export interface Hit {
  secret: string
  form: string
  isLocked: boolean
  /** The place, in words. */
  at: string
}

const chunkBytes = 4 * 1024 * 1024
const zeros = Buffer.alloc(64 * 1024)

/** Finds every place with one of the needles; the process is stopped meanwhile. */
export function scanMemory(pid: number, needles: readonly Needle[]): Hit[] {
  process.kill(pid, 'SIGSTOP')
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    return readMappings(pid).flatMap((mapping) => scanMapping(memory, mapping, needles))
  } finally {
    closeSync(memory)
    process.kill(pid, 'SIGCONT')
  }
}

/** Chunks overlap by the longest needle less one byte, so that none is missed or found twice. */
function scanMapping(memory: number, mapping: Mapping, needles: readonly Needle[]): Hit[] {
  if (!mapping.isReadable) return []
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1
  const hits = new Map<string, Hit>()
  const chunk = Buffer.allocUnsafe(chunkBytes + overlap)
  for (let start = mapping.start; start < mapping.end; start += chunkBytes) {
    const length = Math.min(chunk.length, mapping.end - start)
    const bytes = chunk.subarray(0, readAt(memory, chunk, start, length))
    if (isZero(bytes)) continue
    for (const needle of needles) {
      for (const offset of offsetsOf(needle.bytes, bytes)) {
        const at = `${(start + offset).toString(16)} ${mapping.name || 'anonymous'}`
        const { secret, form } = needle
        hits.set(`${at} ${secret} ${form}`, { secret, form, isLocked: mapping.isLocked, at })
      }
    }
  }
  return [...hits.values()]
}

/** Returns the number of bytes read; 0 where the kernel has none, as in [vvar]. */
function readAt(memory: number, into: Buffer, position: number, length: number): number {
  try {
    return readSync(memory, into, 0, length, position)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EIO') return 0
    throw error
  }
}

function isZero(bytes: Buffer): boolean {
  for (let start = 0; start < bytes.length; start += zeros.length) {
    const part = bytes.subarray(start, start + zeros.length)
    if (part.compare(zeros, 0, part.length) !== 0) return false
  }
  return true
}

function offsetsOf(needle: Buffer, bytes: Buffer): number[] {
  const offsets: number[] = []
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    offsets.push(at)
  }
  return offsets
}

/** Parses smaps: a head line for each mapping, then lines about it, `VmFlags` the last. */
function readMappings(pid: number): Mapping[] {
  const mappings: Mapping[] = []
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const head = /^([0-9a-f]+)-([0-9a-f]+) (r?)\S* \S+ \S+ \S+ *(.*)$/.exec(line)
    if (head) {
      const [, start = '', end = '', readable, name = ''] = head
      const range = { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16) }
      const isReadable = readable === 'r' && name !== '[vsyscall]'
      mappings.push({ ...range, name, isLocked: false, isReadable })
    }
    const flags = /^VmFlags: (.*)$/.exec(line)?.[1]?.trim().split(' ')
    const last = mappings.at(-1)
    if (flags && last) last.isLocked = ['lo', 'dd'].every((flag) => flags.includes(flag))
  }
  return mappings
}
