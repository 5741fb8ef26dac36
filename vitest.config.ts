import { randomInt } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

// Continuous integration reads the counts from a file.
const report = process.env['CAUSEWAY_TEST_REPORT']

// One seed for a whole run, so that a failure is seen again with all that ran beside it.
process.env['CAUSEWAY_FUZZ_SEED'] ??= String(randomInt(2 ** 31))

const exclude = ['**/node_modules/**']

// Unit tests that start programs, fill both cores or ask the kernel for what others may have, too.
const host = [
  'test/vectors/**/*.test.ts',
  'test/unit/**/{native,images,signer,sandbox,cgroup,execution,bench}/**/*.test.ts',
  'test/unit/**/{network,job-network}/**/!(dns-*|verify-*).test.ts',
]

// Tests that something goes at least as fast as it says, which depends on what runs beside it: their
// processes go before all others. That it goes no faster, by the kernel's time stamps, holds under any
// load.
const timed = [
  'test/unit/**/{shared-limits,shared-bytes,isolated-udp,queues}.test.ts',
  'test/e2e/network.test.ts',
]

// One more than the cores of the smallest machine: many of these tests wait.
const worker = { pool: 'forks', maxWorkers: 3 } as const
const checkout = './test/support/shared-checkout.ts'

export default defineConfig({
  // Workspace packages resolve to their TypeScript source, so tests need no build.
  ssr: {
    resolve: { conditions: ['@causeway/source'], externalConditions: ['@causeway/source'] },
  },
  test: {
    reporters: [
      './test/support/project-seconds.ts',
      'default',
      ...(report ? [['json', { outputFile: report }] as [string, object]] : []),
    ],
    sequence: { sequencer: LongestFirst },
    // What is waited for must come; how soon depends on what runs beside it.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      {
        extends: true,
        test: {
          ...worker,
          name: 'timed',
          include: timed,
          setupFiles: ['./test/support/raised-priority.ts'],
          globalSetup: [checkout],
          testTimeout: 60_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          ...worker,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [...exclude, ...timed],
          globalSetup: [checkout],
          testTimeout: 60_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          ...worker,
          name: 'host',
          include: host,
          exclude: [...exclude, ...timed],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          ...worker,
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          ...worker,
          name: 'pure',
          include: ['*/src/**/*.test.ts', 'test/unit/**/*.test.ts'],
          exclude: [...exclude, ...host, ...timed],
          // No process of its own for each file: most of them are shorter than its start.
          isolate: false,
          testTimeout: 30_000,
        },
      },
    ],
    coverage: { provider: 'v8', include: ['*/src/**/*.ts'], exclude: ['**/*.test.ts'] },
  },
})
