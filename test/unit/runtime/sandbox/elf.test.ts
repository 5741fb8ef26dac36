import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hostMachine,
  qemuProgram,
  readElf,
  type ElfHeader,
} from '../../../../runtime/src/sandbox/proot/elf.ts'
import { compiled } from '../../../support/compiled.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { checkLines } from '../../fuzz/settings.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

async function elfOf(path: string): Promise<ElfHeader | undefined> {
  const file = await open(path)
  try {
    return await readElf(file)
  } finally {
    await file.close()
  }
}

async function elfIn(content: Uint8Array): Promise<ElfHeader | undefined> {
  const path = join(folder.path, 'program')
  await writeFile(path, content)
  return elfOf(path)
}

/** A header without program headers. */
function header(fileClass: number, order: number, machine: number): Buffer {
  const bytes = Buffer.alloc(64)
  bytes.set([0x7f, 0x45, 0x4c, 0x46, fileClass, order, 1])
  if (order === 1) bytes.writeUInt16LE(machine, 18)
  else bytes.writeUInt16BE(machine, 18)
  return bytes
}

/** A 64-bit little-endian program with one PT_INTERP of the given bytes, size and offset. */
function withInterpreter(path: Buffer, { size = path.length, offset = 120, count = 1 } = {}) {
  const bytes = Buffer.concat([header(2, 1, 62), Buffer.alloc(56), path])
  bytes.writeBigUInt64LE(64n, 32)
  bytes.writeUInt16LE(56, 54)
  bytes.writeUInt16LE(count, 56)
  bytes.writeUInt32LE(3, 64)
  bytes.writeBigUInt64LE(BigInt(offset), 72)
  bytes.writeBigUInt64LE(BigInt(size), 96)
  return bytes
}

describe('a program', () => {
  const source = 'int main(void) { return 0; }'

  it('of this host is recognised, with its loader', async () => {
    const found = await elfOf(process.execPath)
    expect(found?.machine).toBe(hostMachine())
    expect(found?.interpreter).toMatch(/^\/lib.*\/ld-/)
  })

  it('that is static has no loader', async () => {
    const program = await compiled(folder.path, source, { flags: ['-static'] })
    expect(await elfOf(program)).toEqual({
      bits: 64,
      endianness: 'little',
      machine: hostMachine(),
    })
  })

  it('of another machine is recognised', async () => {
    const program = await compiled(folder.path, source, { compiler: 'aarch64-linux-gnu-gcc' })
    expect(await elfOf(program)).toEqual({
      bits: 64,
      endianness: 'little',
      machine: 'aarch64',
      interpreter: '/lib/ld-linux-aarch64.so.1',
    })
  })
})

describe('a header', () => {
  it.each([
    [2, 1, 62, 'x86-64'],
    [1, 1, 62, 'x86-64 (x32)'],
    [1, 1, 3, 'x86'],
    [2, 1, 183, 'aarch64'],
    [1, 1, 40, 'arm'],
    [2, 1, 243, 'riscv64'],
    [2, 1, 21, 'ppc64le'],
    [2, 2, 21, 'ppc64'],
    [2, 2, 22, 's390x'],
    [2, 1, 258, 'loongarch64'],
    [1, 2, 8, 'mips'],
    [1, 1, 8, 'mipsel'],
    [2, 1, 65_000, 'machine 65000'],
  ])('of class %i, order %i and machine %i is %s', async (fileClass, order, machine, name) => {
    expect(await elfIn(header(fileClass, order, machine))).toEqual({
      bits: fileClass === 1 ? 32 : 64,
      endianness: order === 1 ? 'little' : 'big',
      machine: name,
    })
  })

  it.each([
    ['is empty', Buffer.alloc(0)],
    ['is truncated', header(2, 1, 62).subarray(0, 63)],
    ['has an unknown class', header(3, 1, 62)],
    ['has an unknown byte order', header(2, 3, 62)],
    ['belongs to a script', Buffer.from(`#!/bin/sh\n${'#'.repeat(64)}`)],
  ])('that %s is not read', async (_what, content) => {
    expect(await elfIn(content)).toBeUndefined()
  })
})

describe('a loader', () => {
  const path = Buffer.from('/lib/ld.so\0')

  it('is the path up to its NUL', async () => {
    expect((await elfIn(withInterpreter(path)))?.interpreter).toBe('/lib/ld.so')
  })

  it.each([
    ['beyond the end', withInterpreter(path, { offset: 1e9 })],
    ['beyond any file', withInterpreter(path, { offset: 2 ** 62 })],
    ['without its NUL', withInterpreter(Buffer.from('/lib/ld.so'))],
    ['larger than a path', withInterpreter(Buffer.alloc(5000, 0x2f), { size: 2 ** 40 })],
    ['that is not an absolute path', withInterpreter(Buffer.from('ld.so\0'))],
    ['that would spoil a terminal', withInterpreter(Buffer.from('/\x1b[2J\0'))],
    ['behind too many headers', withInterpreter(path, { count: 65_535 })],
  ])('%s is not reported', async (_what, content) => {
    expect(await elfIn(content)).toMatchObject({ machine: 'x86-64' })
    expect(await elfIn(content)).not.toHaveProperty('interpreter')
  })

  it('is only looked for inside the file, whatever the bytes are', async () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 200 })
    const mutated = fc.tuple(bytes, fc.nat(119)).map(([noise, at]) => {
      const content = withInterpreter(path)
      content.set(noise.subarray(0, Math.max(0, content.length - at)), at)
      return content
    })
    await checkLines(mutated, 0.005, async (content) => {
      const found = await elfIn(content)
      expect(found?.interpreter ?? '/').toMatch(/^\/[\x20-\x7e]*$/)
    })
  })
})

describe('machines', () => {
  it.each([
    ['x64', 'x86-64'],
    ['arm64', 'aarch64'],
    ['ia32', 'x86'],
    ['riscv64', 'riscv64'],
    ['loong64', 'loongarch64'],
  ])('of Node’s %s is %s', (arch, name) => expect(hostMachine(arch)).toBe(name))

  it.each([
    ['aarch64', 'qemu-aarch64-static'],
    ['x86-64', 'qemu-x86_64-static'],
    ['x86', 'qemu-i386-static'],
    ['arm', 'qemu-arm-static'],
  ])('of %s run in %s', (machine, program) => expect(qemuProgram(machine)).toBe(program))
})
