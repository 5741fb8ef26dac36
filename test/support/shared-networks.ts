/**
 * Deployments whose jobs share a host's network, in a lab.
 * @module
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import type { NetworkSettings } from '../../runtime/src/job-network/settings.ts'
import { hostHierarchies } from '../../runtime/src/cgroup/mounts.ts'
import { isRoot, openNetworkLab, type NetworkLab } from './network-lab.ts'
import { compileNetworkProbe } from './network-probe.ts'
import { openSharedJob, type SharedJob, type SharedJobOptions } from './shared-job.ts'
import { startNetworks, type NetworksProcess } from './shared-networks-process.ts'
import { startServer } from './shared-programs.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Needs root, and control groups of version 2, which show whose sockets are whose. */
export const canShare = isRoot && hostHierarchies().some(({ version }) => version === 2)

/** Far more than a test needs. */
export const sharedTestMs = 60_000

export interface SharedLab extends AsyncDisposable {
  lab: NetworkLab
  networks: NetworksProcess
  /** Path of the probe, readable by all users. */
  program: string
  /** Opens a network for a new job. */
  job(options?: SharedJobOptions): Promise<SharedJob>
  /** Starts a program outside any job, which prints a line when it is ready. */
  start(where: 'host' | 'internet', ...command: string[]): Promise<AsyncDisposable>
}

/** `test` with one lab for all tests of a file. */
export function sharedTests(changes: Partial<NetworkSettings> = {}) {
  return test.extend<{ shared: SharedLab }>({
    shared: [
      async ({}, use) => {
        await using folder = await temporaryFolder()
        await using lab = await openSharedLab(folder.path, changes)
        await use(lab)
      },
      { scope: 'file' },
    ],
  })
}

/** @param folder where the probe is compiled */
export async function openSharedLab(
  folder: string,
  changes: Partial<NetworkSettings> = {},
): Promise<SharedLab> {
  const program = join(folder, 'probe')
  writeFileSync(program, await compileNetworkProbe(folder))
  chmodSync(program, 0o755)
  const lab = await openNetworkLab()
  const networks = await startNetworks(lab, changes).catch(async (error: unknown) => {
    await lab[Symbol.asyncDispose]()
    throw error
  })
  return {
    lab,
    networks,
    program,
    job: (options = {}) => openSharedJob({ lab, networks, program, ...options }),
    start: (where, ...command) => startServer([...lab[where].prefix, ...command]),
    async [Symbol.asyncDispose]() {
      await networks[Symbol.asyncDispose]()
      await lab[Symbol.asyncDispose]()
    },
  }
}
