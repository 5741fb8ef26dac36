/**
 * Reads which machine an executable is for. The file is hostile: each number is checked before use.
 * @module
 */
import { endianness } from 'node:os'

/** A source of bytes: a `FileHandle`, or an object with the same `read`. */
export interface ByteSource {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ buffer: Buffer; bytesRead: number }>
}

/** What an ELF header says (elf(5)). */
export interface ElfHeader {
  bits: 32 | 64
  endianness: 'little' | 'big'
  /** Such as `x86-64` or `aarch64`; `machine N` for a number without a name here. */
  machine: string
  /** Guest path of the dynamic loader; absent for a static program or when it can't be read. */
  interpreter?: string
}

// e_machine → name; a pair (little-endian, big-endian) where the byte order makes two machines.
const machines: Readonly<Record<number, string | readonly [string, string]>> = {
  3: 'x86',
  8: ['mipsel', 'mips'],
  20: 'powerpc',
  21: ['ppc64le', 'ppc64'],
  22: 's390x',
  40: 'arm',
  62: 'x86-64',
  183: 'aarch64',
  243: 'riscv64',
  258: 'loongarch64',
}

const nodeNames: Readonly<Record<string, string>> = {
  x64: 'x86-64',
  ia32: 'x86',
  arm64: 'aarch64',
  loong64: 'loongarch64',
  ppc64: endianness() === 'LE' ? 'ppc64le' : 'ppc64',
}

/** The machine of this host's own programs, by the names of {@link ElfHeader}. */
export function hostMachine(arch: string = process.arch): string {
  return nodeNames[arch] ?? arch
}

const qemuNames: Readonly<Record<string, string>> = {
  'x86-64': 'x86_64',
  x86: 'i386',
  powerpc: 'ppc',
}

/** The program of Debian's qemu-user-static that runs a machine's programs. */
export function qemuProgram(machine: string): string {
  return `qemu-${qemuNames[machine] ?? machine}-static`
}

const magic = Buffer.from('\x7fELF', 'latin1')
const maxHeaderBytes = 64

/** Reads the header of an open file; undefined when it is not an ELF file, or a truncated one. */
export async function readElf(file: ByteSource): Promise<ElfHeader | undefined> {
  const header = await readAt(file, 0, maxHeaderBytes)
  const layout = layoutOf(header)
  if (!layout) return undefined
  const { bits, isLittle } = layout
  const interpreter = await readInterpreter(file, header, layout)
  return {
    bits,
    endianness: isLittle ? 'little' : 'big',
    machine: machineName(layout, readUint(header, 18, 2, isLittle)),
    ...(interpreter !== undefined && { interpreter }),
  }
}

/** Offsets of the fields that depend on the class, in the header and in a program header. */
interface Layout {
  bits: 32 | 64
  isLittle: boolean
  headerBytes: number
  tableOffset: number
  entrySize: number
  entryCount: number
  entryBytes: number
  segmentOffset: number
  segmentSize: number
  wordBytes: 4 | 8
}

const layouts = {
  1: { bits: 32, headerBytes: 52, tableOffset: 28, entrySize: 42, entryCount: 44 },
  2: { bits: 64, headerBytes: 64, tableOffset: 32, entrySize: 54, entryCount: 56 },
} as const
const segments = {
  32: { entryBytes: 32, segmentOffset: 4, segmentSize: 16, wordBytes: 4 },
  64: { entryBytes: 56, segmentOffset: 8, segmentSize: 32, wordBytes: 8 },
} as const

function layoutOf(header: Buffer): Layout | undefined {
  const [fileClass, order] = [header[4], header[5]]
  if (!header.subarray(0, 4).equals(magic)) return undefined
  if ((fileClass !== 1 && fileClass !== 2) || (order !== 1 && order !== 2)) return undefined
  const layout = layouts[fileClass]
  if (header.length < layout.headerBytes) return undefined
  return { ...layout, ...segments[layout.bits], isLittle: order === 1 }
}

function machineName({ bits, isLittle }: Layout, number: number): string {
  const name = machines[number] ?? `machine ${number}`
  if (typeof name !== 'string') return name[isLittle ? 0 : 1]
  // The x32 ABI: the same instructions, but system calls that the sandbox refuses.
  return name === 'x86-64' && bits === 32 ? 'x86-64 (x32)' : name
}

const interpreterSegment = 3
const maxSegments = 512
const maxPathBytes = 4096

async function readInterpreter(
  file: ByteSource,
  header: Buffer,
  layout: Layout,
): Promise<string | undefined> {
  const { isLittle, wordBytes, entryBytes } = layout
  const count = readUint(header, layout.entryCount, 2, isLittle)
  // The kernel refuses any other size, too.
  if (readUint(header, layout.entrySize, 2, isLittle) !== entryBytes) return undefined
  if (count > maxSegments) return undefined
  const offset = readUint(header, layout.tableOffset, wordBytes, isLittle)
  const table = await readAt(file, offset, count * entryBytes)
  for (let at = 0; at + entryBytes <= table.length; at += entryBytes) {
    if (readUint(table, at, 4, isLittle) !== interpreterSegment) continue
    const from = readUint(table, at + layout.segmentOffset, wordBytes, isLittle)
    const size = readUint(table, at + layout.segmentSize, wordBytes, isLittle)
    return pathOf(await readAt(file, from, Math.min(size, maxPathBytes)))
  }
  return undefined
}

/** The path before the NUL that the kernel requires; undefined if not absolute and printable. */
function pathOf(bytes: Buffer): string | undefined {
  const end = bytes.indexOf(0)
  const path = bytes.subarray(0, Math.max(end, 0)).toString('latin1')
  return /^\/[\x20-\x7e]+$/.test(path) ? path : undefined
}

function readUint(from: Buffer, at: number, bytes: 2 | 4 | 8, isLittle: boolean): number {
  if (bytes === 8) return Number(isLittle ? from.readBigUInt64LE(at) : from.readBigUInt64BE(at))
  return isLittle ? from.readUIntLE(at, bytes) : from.readUIntBE(at, bytes)
}

/** Reads at most `length` bytes; none at a position that no file can have. */
async function readAt(file: ByteSource, position: number, length: number): Promise<Buffer> {
  if (length === 0 || !Number.isSafeInteger(position)) return Buffer.alloc(0)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
