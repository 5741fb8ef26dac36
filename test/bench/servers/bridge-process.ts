/**
 * A bridge as `causeway serve --no-limits` opens it, with the audit log or without, which the
 * command has no option for. It runs the built files, not the sources under tsx. Arguments: socket
 * name, deployment file, folder for the state, `audit` or `no-audit`.
 * @module
 */
import { built } from './built.ts'

const [socket = '', file = '', stateFolder = '', audit] = process.argv.slice(2)

const { createLogger } =
  await built<typeof import('../../../runtime/src/cli/options.ts')>('cli/options')
const { loadConfig } = await built<typeof import('../../../runtime/src/config/config.ts')>('config')
const { openBridge } = await built<typeof import('../../../runtime/src/host/bridge.ts')>('daemon')
const { configuredVerifier } = await built<
  typeof import('../../../runtime/src/network/verify/configured-verifier.ts')
>('network/configured-verifier')
const { openKeys } = await built<typeof import('../../../runtime/src/host/keys.ts')>('open-keys')
const { loadWithoutSandbox } =
  await built<typeof import('../../../runtime/src/deployment/load.ts')>('deployments/load')
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
