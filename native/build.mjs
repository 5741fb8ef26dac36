/**
 * Builds every target of binding.gyp into build/Release (`npm run build -w @causeway/native`), or those
 * that the arguments name.
 *
 * @module
 */
/// <reference types="node" />
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageRoot = dirname(fileURLToPath(import.meta.url))
const nodeGyp = createRequire(import.meta.url).resolve('node-gyp/bin/node-gyp.js')

/** Headers beside this Node, so that nothing is downloaded; without them node-gyp's own default. */
function nodedirArguments() {
  const prefix = dirname(dirname(process.execPath))
  const hasHeaders = existsSync(join(prefix, 'include', 'node', 'node_api.h'))
  return hasHeaders ? [`--nodedir=${prefix}`] : []
}

/** The environment without npm's copy of a nodedir setting, which would name another Node. */
function buildEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => name.toLowerCase() !== 'npm_config_nodedir' || nodedirArguments().length === 0,
  )
  return Object.fromEntries(kept)
}

const targets = process.argv.slice(2)
const commands = targets.length > 0 ? ['configure', 'build', ...targets] : ['rebuild']

const { status, error } = spawnSync(
  process.execPath,
  [nodeGyp, ...commands, '--loglevel=error', '--jobs=max', ...nodedirArguments()],
  { cwd: packageRoot, env: buildEnvironment(), stdio: 'inherit' },
)
if (error) throw error
process.exitCode = status ?? 1
