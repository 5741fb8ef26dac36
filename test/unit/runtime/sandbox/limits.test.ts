import { statfsSync, writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { parseDeployment } from '@causeway/manifest'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { loadConfig } from '../../../../runtime/src/config/config.ts'
import {
  checkLimits,
  filesOf,
  fittingDisk,
  limitsOf,
} from '../../../../runtime/src/sandbox/limits.ts'

const settings = loadConfig(undefined).sandbox

test("a deployment's own limits count", () => {
  const limits = limitsOf({ memory: 1_000_000, storage: 2_000_000 }, settings)
  expect(limits).toEqual({
    memoryBytes: 1_000_000,
    storageBytes: 2_000_000,
    processes: 1024,
  })
})

test("without them the operator's count, else a share of the host's memory", () => {
  const none = { memory: 0, storage: 0 }
  const operators = {
    ...settings,
    memoryBytes: 5_000_000,
    storageBytes: 6_000_000,
    maxProcesses: 16,
  }
  expect(limitsOf(none, operators)).toEqual({
    memoryBytes: 5_000_000,
    storageBytes: 6_000_000,
    processes: 16,
  })
  expect(limitsOf(none, settings)).toMatchObject({
    memoryBytes: Math.floor(totalmem() * 0.75),
    storageBytes: 8 * 1024 ** 3,
  })
})

test('storage is at most what the disk has free, and stays the same for a while', async () => {
  await using folder = await temporaryFolder()
  const { bavail, bsize } = statfsSync(folder.path)
  const free = bavail * bsize
  const limits = { memoryBytes: 1, storageBytes: Number.MAX_SAFE_INTEGER, processes: 1 }
  const fitting = () => fittingDisk(limits, { storage: 0 }, folder.path).storageBytes
  const before = fitting()
  expect(before).toBeLessThanOrEqual(free * 0.9)
  expect(before).toBeGreaterThan(free * 0.8)
  // The free space may cross one of the sixteen steps by chance, but not two.
  const sizes = Array.from({ length: 3 }, (_, index) => {
    writeFileSync(join(folder.path, String(index)), Buffer.alloc(64 * 1024))
    return fitting()
  })
  expect(new Set([before, ...sizes]).size).toBeLessThanOrEqual(2)
  expect(
    fittingDisk({ ...limits, storageBytes: 2 ** 21 + 1 }, { storage: 0 }, folder.path),
  ).toEqual({
    ...limits,
    storageBytes: 2 ** 21 + 1,
  })
  expect(() => fittingDisk(limits, { storage: free * 2 }, folder.path)).toThrow(/expected at most/)
})

test.for([
  { field: 'memory', bytes: 1 },
  { field: 'memory', bytes: 1024 * 1024 - 1 },
  { field: 'storage', bytes: 1 },
])('$field of $bytes bytes is too little for anything', ({ field, bytes }) => {
  const { deployment } = parseDeployment(
    JSON.stringify({ [field]: bytes }),
    '/jobs/deployment.json',
  )
  expect(() => checkLimits(deployment)).toThrow(
    `/jobs/deployment.json: ${field}: expected 0 or at least 1048576 bytes, found ${bytes}`,
  )
})

test('the smallest limit and no limit are valid', () => {
  for (const memory of [0, 1024 * 1024]) {
    const { deployment } = parseDeployment(JSON.stringify({ memory }), '/jobs/deployment.json')
    expect(() => checkLimits(deployment)).not.toThrow()
  }
})

test.for([
  { host: 2_400_000, maxProcesses: 1024, files: 1171 },
  { host: 2_400_000, maxProcesses: 16, files: 65_536 },
  { host: 2 ** 63, maxProcesses: 4096, files: 65_536 },
  { host: 100_000, maxProcesses: 4096, files: 256 },
])('of $host open files a job with $maxProcesses processes gets half', ({ files, ...given }) => {
  const { host, maxProcesses } = given
  expect(filesOf({ maxFiles: 0, maxProcesses }, host)).toBe(files)
  expect(filesOf({ maxFiles: 77, maxProcesses }, host)).toBe(77)
})
