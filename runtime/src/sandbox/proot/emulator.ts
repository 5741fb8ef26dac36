/** Finds the emulator for an image or an entrypoint of another machine than the host's. @module */
import { posix } from 'node:path'
import { readInRoot } from '@causeway/images'
import type { SandboxSettings } from '../settings.ts'
import { StartError } from '../../errors/start-error.ts'
import { hostMachine, qemuProgram, readElf } from './elf.ts'
import type { Backend } from '../layers.ts'
import { findProgram } from './proot.ts'

/** The files that may be for another machine. */
export interface MachineQuestion {
  /** Host folder of the unpacked image. */
  tree: string
  /** Guest path of the entrypoint. */
  entrypoint: string
  /** The entrypoint's first bytes, when it comes with the bundle. */
  bundled?: Buffer
}

// This shell runs scripts, and every other entrypoint that is not a program.
const shell = '/bin/sh'

/**
 * The emulator that a job needs, if any.
 * @returns absolute path of a static QEMU; undefined for a job of this machine
 * @throws StartError ARCHITECTURE_FOREIGN with both names and what to do
 */
export async function findEmulator(
  question: MachineQuestion,
  { qemu }: SandboxSettings,
  backend: Backend,
): Promise<string | undefined> {
  const found = await foreignFile(question)
  if (!found) return undefined
  const { path, machine } = found
  const program = qemuProgram(machine)
  const both = `${path} is for ${machine}, this host is ${hostMachine()}`
  if (qemu === false) {
    throw foreign(
      `${both}: use an image and entrypoint for ${hostMachine()}, or set sandbox.qemu = true (Debian: apt-get install qemu-user-static)`,
    )
  }
  if (backend !== 'proot') throw foreign(`${both}: QEMU needs sandbox.backend = "proot"`)
  const emulator = await findProgram(qemu === true ? program : posix.join(qemu, program))
  if (emulator !== undefined) return emulator
  throw foreign(
    `${both}: expected ${program}, found none (Debian: apt-get install qemu-user-static)`,
  )
}

async function foreignFile(question: MachineQuestion) {
  const files = [
    { path: question.entrypoint, machine: await entrypointMachine(question) },
    { path: shell, machine: await machineInTree(question.tree, shell) },
  ]
  const host = hostMachine()
  for (const { path, machine } of files) {
    if (machine !== undefined && machine !== host) return { path, machine }
  }
  return undefined
}

function entrypointMachine({ tree, entrypoint, bundled }: MachineQuestion) {
  return bundled ? machineOfBytes(bundled) : machineInTree(tree, entrypoint)
}

// Enough for an ELF header of either class.
const headerBytes = 64

/** @returns undefined for a file that is not a program or does not exist */
async function machineInTree(tree: string, path: string): Promise<string | undefined> {
  const start = readInRoot(tree, path, headerBytes)
  return start && machineOfBytes(start)
}

async function machineOfBytes(bytes: Buffer): Promise<string | undefined> {
  const file = {
    async read(into: Buffer, offset: number, length: number, position: number) {
      const part = bytes.subarray(position, position + length)
      return { buffer: into, bytesRead: part.copy(into, offset) }
    },
  }
  return (await readElf(file))?.machine
}

function foreign(message: string): StartError {
  return new StartError('ARCHITECTURE_FOREIGN', message)
}
