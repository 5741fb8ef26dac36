/**
 * Writes tar archives byte by byte, so that tests can say what no tar program would.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'

/** One entry; `type` is the type flag, default a file when there is a body, else as the name. */
export interface Entry {
  name: string
  type?: string
  mode?: number
  body?: string | Buffer
  link?: string
  /** Written instead of the body's length. */
  size?: number
  /** Seconds since 1970, default some day of 2020. */
  mtime?: number
  /** Changes the header; its checksum is made right afterwards. */
  patch?: (header: Buffer) => void
}

/** An archive of the entries, with its end mark. */
export function tarOf(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1024)])
}

/** A minimal root that passes as one, with further entries. */
export function rootOf(...entries: readonly Entry[]): Buffer {
  return tarOf([{ name: 'etc/', type: '5' }, { name: 'bin/', type: '5' }, ...entries])
}

/** A pax header for the entry after it. */
export function pax(records: Readonly<Record<string, string>>, type = 'x'): Entry {
  const lines = Object.entries(records).map(([key, value]) => paxLine(key, value))
  return { name: 'pax', type, body: lines.join('') }
}

/** A GNU long name for the entry after it. */
export function longName(name: string): Entry {
  return { name: '././@LongLink', type: 'L', body: `${name}\0` }
}

/** A GNU long link target for the entry after it. */
export function longLink(target: string): Entry {
  return { name: '././@LongLink', type: 'K', body: `${target}\0` }
}

/** Compresses with a program of the host, or zlib for gzip. */
export function compress(format: 'tar' | 'tar.gz' | 'tar.xz' | 'tar.zst', tar: Buffer): Buffer {
  if (format === 'tar') return tar
  if (format === 'tar.gz') return gzipSync(tar)
  const [program, args] = format === 'tar.xz' ? ['xz', ['-zc', '-1']] : ['zstd', ['-qc']]
  const result = spawnSync(program as string, args as string[], { input: tar, maxBuffer: 1 << 30 })
  if (result.status !== 0) throw new Error(`${String(program)} failed: ${result.stderr.toString()}`)
  return result.stdout
}

function entryBytes(entry: Entry): Buffer {
  const body = Buffer.from(entry.body ?? '')
  const block = Buffer.alloc(512)
  block.write(entry.name, 0)
  octal(block, 100, 7, entry.mode ?? (entry.type === '5' ? 0o755 : 0o644))
  octal(block, 108, 7, 0)
  octal(block, 116, 7, 0)
  octal(block, 124, 11, entry.size ?? body.length)
  octal(block, 136, 11, entry.mtime ?? 1_600_000_000)
  block.write(entry.type ?? '0', 156)
  block.write(entry.link ?? '', 157)
  block.write('ustar\0' + '00', 257, 'latin1')
  entry.patch?.(block)
  writeChecksum(block)
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
}

/** Makes a header's checksum right. */
export function writeChecksum(block: Buffer): void {
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  octal(block, 148, 6, sum)
}

/** Writes a number as GNU tar does where octal digits do not reach; negative ones too. */
export function base256(block: Buffer, at: number, length: number, value: bigint): void {
  const unsigned = BigInt.asUintN(8 * length, value) | (1n << BigInt(8 * length - 1))
  Buffer.from(unsigned.toString(16).padStart(2 * length, '0'), 'hex').copy(block, at)
}

function octal(block: Buffer, at: number, digits: number, value: number): void {
  block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1')
}

function paxLine(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (String(length).length + Buffer.byteLength(rest) !== length) {
    length = String(length).length + Buffer.byteLength(rest)
  }
  return `${length}${rest}`
}
