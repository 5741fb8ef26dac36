/**
 * `causeway serve`: serves a bridge without a sandbox, for development and conformance tests.
 * @module
 */
import { once } from 'node:events'
import { loadConfig } from '../config/config.ts'
import { openBridge, type OpenBridge } from '../host/bridge.ts'
import { loadWithoutSandbox } from '../deployment/load.ts'
import { configuredVerifier } from '../network/verify/configured-verifier.ts'
import { openKeys } from '../host/keys.ts'
import { chooseBackend } from '../signer/choose-backend.ts'
import { openState } from '../state/state-folders.ts'

import { createLogger } from '@causeway/service/log'
import { logLevelOf, passphraseOf, type SharedOptions } from './options.ts'
import { abortOnSignals } from './signals.ts'

interface ServeFlags extends SharedOptions {
  socket?: string
  limits: boolean
}

export async function serve(file: string, flags: ServeFlags): Promise<void> {
  const stopped = abortOnSignals()
  const bridge = await open(file, flags)
  bridge.admit({ by: 'uid', uid: process.getuid?.() ?? 0 })
  process.stdout.write(`${JSON.stringify(readyLine(bridge))}\n`)
  if (!stopped.aborted) await once(stopped, 'abort')
  await bridge.close()
}

async function open(file: string, flags: ServeFlags): Promise<OpenBridge> {
  const config = loadConfig(flags.config)
  const log = createLogger(logLevelOf(flags, config))
  const loaded = await loadWithoutSandbox(file)
  const { backend, warning } = await chooseBackend(config.signer.backend)
  for (const message of loaded.warnings) log.warn(message)
  if (warning !== undefined) log.warn(warning)
  const stateFolder = openState(flags.state).root
  const signing = { config, backend, log }
  const keys = await openKeys(loaded.deployment, {
    ...signing,
    stateFolder,
    ...passphraseOf(flags),
  })
  return openBridge(loaded, keys, {
    ...signing,
    verifyHost: configuredVerifier(config.network),
    ...(flags.socket !== undefined && { socket: flags.socket }),
    noLimits: !flags.limits,
  })
}

function readyLine({ socket, identity }: OpenBridge) {
  return {
    socket,
    deployment: identity.id,
    processor: identity.processor.address,
    pid: process.pid,
  }
}
