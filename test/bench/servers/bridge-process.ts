/**
 * A bridge as `causeway serve --no-limits` opens it, with the audit log or without: that is no
 * setting of the command. What runs is what was built, not its source under tsx.
 * Arguments: socket name, deployment file, folder for the state, `audit` or `no-audit`.
 * @module
 */
import { createLogger } from '@causeway/service/log'
import { built } from './built.ts'

const [socket = '', file = '', stateFolder = '', audit] = process.argv.slice(2)

const { loadConfig } =
  await built<typeof import('../../../runtime/src/config/config.ts')>('config/config')
const { openBridge } =
  await built<typeof import('../../../runtime/src/host/bridge.ts')>('host/bridge')
const { configuredVerifier } = await built<
  typeof import('../../../runtime/src/network/verify/configured-verifier.ts')
>('network/verify/configured-verifier')
const { openKeys } = await built<typeof import('../../../runtime/src/host/keys.ts')>('host/keys')
const { loadWithoutSandbox } =
  await built<typeof import('../../../runtime/src/deployment/load.ts')>('deployment/load')
const { chooseBackend } =
  await built<typeof import('../../../runtime/src/signer/choose-backend.ts')>(
    'signer/choose-backend',
  )

const { backend } = await chooseBackend('native')
const loaded = await loadWithoutSandbox(file)
const common = { config: loadConfig(undefined), backend, log: createLogger('warn') }
const logs = { stateFolder, audit: audit === 'audit' }
const keys = await openKeys(loaded.deployment, { ...common, ...logs })
const verifyHost = configuredVerifier(common.config.network)
const bridge = openBridge(loaded, keys, { ...common, verifyHost, socket, noLimits: true })
bridge.admit({ by: 'uid', uid: process.getuid?.() ?? 0 })
process.once('SIGTERM', () => void bridge.close())
process.stdout.write('ready\n')
