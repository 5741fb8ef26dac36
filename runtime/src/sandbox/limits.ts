/**
 * What a job may take of its host.
 * @module
 */
import { statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { Deployment } from '@causeway/manifest'
import type { SandboxSettings } from './settings.ts'
import { StartError } from '../errors/start-error.ts'

export interface JobLimits {
  memoryBytes: number
  /** What it may write. */
  storageBytes: number
  /** Processes and threads. */
  processes: number
}

// Less holds neither a file system's own tables nor a launcher.
const leastBytes = 1024 * 1024

/** @throws StartError LIMIT_INVALID naming file and field */
export function checkLimits({ file, memory, storage }: Deployment): void {
  for (const [field, bytes] of Object.entries({ memory, storage })) {
    if (bytes === 0 || bytes >= leastBytes) continue
    const message = `${file}: ${field}: expected 0 or at least ${leastBytes} bytes, found ${bytes}`
    throw new StartError('LIMIT_INVALID', message)
  }
}

// The daemon and the host need some, too.
const defaultShareOfMemory = 0.75

// For the records and logs of the host itself, and for other jobs.
const shareOfFreeDisk = 0.9

/**
 * The limits with no more storage than the disk has.
 * @throws StartError LIMIT_INVALID when a deployment asks for more itself
 */
export function fittingDisk(
  limits: JobLimits,
  { storage }: Pick<Deployment, 'storage'>,
  folder: string,
): JobLimits {
  const { bavail, bsize } = statfsSync(folder)
  const most = coarse(bavail * bsize * shareOfFreeDisk)
  if (storage > most) {
    const message = `storage: ${storage} bytes are asked for, the disk of ${folder} can give ${most}`
    throw new StartError('LIMIT_INVALID', message)
  }
  const storageBytes = Math.min(limits.storageBytes, most)
  if (storageBytes >= leastBytes) return { ...limits, storageBytes }
  throw new StartError('LIMIT_INVALID', `the disk of ${folder} is full: ${most} bytes are left`)
}

/** The same for all jobs for a while, so that a file system of that size can be made beforehand. */
function coarse(bytes: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(bytes)) - stepsInPowerOfTwo)
  return Math.floor(bytes / step) * step
}

// 16 steps from one power of two to the next.
const stepsInPowerOfTwo = 4

/** A deployment's limits; where it sets none, those of the host. */
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
