/** How much memory, storage and processes a job may use. @module */
import { readFileSync, statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { Deployment } from '@causeway/manifest'
import type { SandboxSettings } from './settings.ts'
import { StartError } from '../errors/start-error.ts'

export interface JobLimits {
  memoryBytes: number
  /** What the job may write. */
  storageBytes: number
  /** Processes and threads. */
  processes: number
}

// Neither a file system's own tables nor a launcher fit into less.
const leastBytes = 1024 * 1024

/** @throws StartError LIMIT_INVALID naming file and field */
export function checkLimits({ file, memory, storage }: Deployment): void {
  for (const [field, bytes] of Object.entries({ memory, storage })) {
    if (bytes === 0 || bytes >= leastBytes) continue
    const message = `${file}: ${field}: expected 0 or at least ${leastBytes} bytes, found ${bytes}`
    throw new StartError('LIMIT_INVALID', message)
  }
}

// The daemon and the host need the rest.
const defaultShareOfMemory = 0.75

// The rest is for the host's own records and logs, and for other jobs.
const shareOfFreeDisk = 0.9

/**
 * Lowers the storage limit to what the disk has free.
 * @throws StartError LIMIT_INVALID when the deployment itself asks for more than the disk has;
 *   DISK_FULL when the disk has too little free now
 */
export function fittingDisk(
  limits: JobLimits,
  { storage }: Pick<Deployment, 'storage'>,
  folder: string,
): JobLimits {
  const { blocks, bavail, bsize } = statfsSync(folder)
  const [whole, most] = [blocks, bavail].map((count) => coarse(count * bsize * shareOfFreeDisk))
  if (storage > whole!) {
    const message = `storage: expected at most ${whole} bytes (disk of ${folder}), found ${storage}`
    throw new StartError('LIMIT_INVALID', message)
  }
  if (storage > most!) {
    const message = `storage: expected at most ${most} bytes, which the disk of ${folder} has free, found ${storage}`
    throw new StartError('DISK_FULL', message)
  }
  const storageBytes = Math.min(limits.storageBytes, most!)
  if (storageBytes >= leastBytes) return { ...limits, storageBytes }
  throw new StartError('DISK_FULL', `the disk of ${folder} is full: ${most} bytes are left`)
}

/** Rounds down, so that the next jobs get the same size and their file system can be made ahead. */
function coarse(bytes: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(bytes)) - stepsInPowerOfTwo)
  return Math.floor(bytes / step) * step
}

// 16 steps from one power of two to the next.
const stepsInPowerOfTwo = 4

// Fewer would stop ordinary programs; no program of a job needs more.
const [leastFiles, mostFiles] = [256, 65_536]

/**
 * Most open files of each process of a job. By default all of its processes together get at most
 * half of the host's, so that one job alone never takes them all.
 */
export function filesOf(
  { maxFiles, maxProcesses }: Pick<SandboxSettings, 'maxFiles' | 'maxProcesses'>,
  ofHost = filesOfHost(),
): number {
  if (maxFiles > 0) return maxFiles
  const share = Math.floor(ofHost / 2 / maxProcesses)
  return Math.min(mostFiles, Math.max(leastFiles, share))
}

/** Most open files of the whole host, root aside. */
export function filesOfHost(): number {
  return Number(readFileSync('/proc/sys/fs/file-max', 'utf8'))
}

/** A deployment's limits; where it sets none, the configured ones, or a share of the host's. */
export function limitsOf(
  { memory, storage }: Pick<Deployment, 'memory' | 'storage'>,
  { memoryBytes, storageBytes, maxProcesses }: SandboxSettings,
): JobLimits {
  return {
    memoryBytes: memory || memoryBytes || Math.floor(totalmem() * defaultShareOfMemory),
    storageBytes: storage || storageBytes,
    processes: maxProcesses,
  }
}
