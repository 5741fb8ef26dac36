/**
 * Whole executions of a deployment, image and keys included, as the daemon makes them.
 * @module
 */
import { mkdir } from 'node:fs/promises'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { writeDeployment } from '../../support/deployment.ts'
import { recipeImage } from '../../support/recipe-image.ts'
import { createLogger } from '@causeway/service/log'
import { built } from '../servers/built.ts'
import type { BackendName } from './sandboxes.ts'

const { createExecute } =
  await built<typeof import('../../../runtime/src/execution/execution.ts')>('execution/execution')
const { openHost } = await built<typeof import('../../../runtime/src/host/host.ts')>('host/host')
const { openHostKeys } =
  await built<typeof import('../../../runtime/src/host/keys.ts')>('host/keys')
const { loadDeployment } =
  await built<typeof import('../../../runtime/src/deployment/load.ts')>('deployment/load')
const { loadConfig } =
  await built<typeof import('../../../runtime/src/config/config.ts')>('config/config')
const { openState } =
  await built<typeof import('../../../runtime/src/state/state-folders.ts')>('state/state-folders')
const { chooseBackend } =
  await built<typeof import('../../../runtime/src/signer/choose-backend.ts')>(
    'signer/choose-backend',
  )

export interface Executions {
  /** One execution; milliseconds from its beginning to the first byte that its job printed. */
  msToOutput(): Promise<number>
  close(): Promise<void>
}

/** A host with a deployment of the `minimal` image, which is in its cache after the first. */
export async function openExecutions(backend: BackendName, folder: string): Promise<Executions> {
  const config = loadConfig(undefined)
  config.sandbox.backend = backend
  const log = createLogger('warn')
  const signer = (await chooseBackend('native')).backend
  const state = openState(join(folder, 'state'))
  const common = { config, log, backend: signer }
  const keys = await openHostKeys({ ...common, stateFolder: state.root })
  const host = await openHost({
    ...common,
    state,
    openKeys: (deployment) => keys.openFor(deployment),
    expectsJobs: true,
    onWarning: (message) => log.warn(message),
  })
  const file = await writeDeployment(join(folder, 'job'), {
    image: await recipeImage('minimal'),
    files: { 'job.sh': '#!/bin/sh\necho here\n' },
    deployment: { id: '1' },
  })
  const loaded = await loadDeployment(file, join(folder, 'bundle.zip'))
  const execute = createExecute(host)
  let count = 0
  return {
    async msToOutput() {
      // As long as a daemon has between two jobs: its spare launcher is there again.
      await pause(250)
      const own = join(state.deployments, `bench-${count++}`)
      await mkdir(own, { mode: 0o700 })
      const began = performance.now()
      let first = NaN
      const { exit } = await execute({
        loaded,
        folder: own,
        firstAttempt: 1,
        restarts: 0,
        allowLocalImages: true,
        signal: new AbortController().signal,
        graceMs: () => undefined,
        onEvent: () => {},
        onOutput: async ({ stdout, stderr }) => {
          stderr.resume()
          await once(stdout, 'data')
          first = performance.now() - began
          await once(stdout.resume(), 'close')
        },
      })
      if (exit.reason !== 'exited' || exit.code !== 0) throw new Error(JSON.stringify(exit))
      return first
    },
    async close() {
      keys.close()
      await host.close()
      await host.images.settled()
    },
  }
}
