import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { liftedRateLimits } from '../../bench/servers/lifted-rate-limits.ts'
import { trivialRequest } from '../../bench/servers/server.ts'
import { defaultLimits } from '../../../runtime/src/bridge/limits/limits.ts'
import { createQuota } from '../../../runtime/src/bridge/limits/quota.ts'
import { loadConfig } from '../../../runtime/src/config/config.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('the configuration lifts the rate of the call that is measured, and nothing else', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'config.toml')
  await writeFile(file, liftedRateLimits)
  const { limits } = loadConfig(file).bridge
  const { read, ...others } = limits
  const { read: defaults, ...otherDefaults } = defaultLimits
  expect(others).toEqual(otherDefaults)
  expect(read.deadlineMs).toBe(defaults.deadlineMs)
  // As many as no bridge answers in a second.
  const quota = createQuota(limits)
  const takeCall = () => quota.takeLine(trivialRequest.length) ?? quota.take('read')
  expect(Array.from({ length: 1_000_000 }, takeCall).find(Boolean)).toBeUndefined()
})
