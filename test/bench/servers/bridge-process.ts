/**
 * A bridge as `causeway serve --no-limits` opens it, with the audit log or without: that is no
 * setting of the command. What runs is what was built, not its source under tsx.
 * Arguments: socket name, deployment file, folder for the state, `audit` or `no-audit`.
 * @module
 */

const [socket = '', file = '', stateFolder = '', audit] = process.argv.slice(2)

const { createLogger } =
  await built<typeof import('../../../runtime/src/cli/options.ts')>('cli/options')
const { loadConfig } = await built<typeof import('../../../runtime/src/config.ts')>('config')
const { openBridge } = await built<typeof import('../../../runtime/src/daemon.ts')>('daemon')
const { loadWithoutSandbox } =
  await built<typeof import('../../../runtime/src/deployments/load.ts')>('deployments/load')
const { chooseBackend } =
  await built<typeof import('../../../runtime/src/signer/choose-backend.ts')>(
    'signer/choose-backend',
  )

const { backend } = await chooseBackend('native')
const bridge = await openBridge(await loadWithoutSandbox(file), {
  config: loadConfig(undefined),
  backend,
  stateFolder,
  socket,
  noLimits: true,
  audit: audit === 'audit',
  log: createLogger('warn'),
})
bridge.admit({ by: 'uid', uid: process.getuid?.() ?? 0 })
process.once('SIGTERM', () => bridge.close())
process.stdout.write('ready\n')

/** A module of the runtime; its source says the types. */
async function built<Module>(name: string): Promise<Module> {
  return (await import(new URL(`../../../runtime/dist/${name}.js`, import.meta.url).href)) as Module
}
