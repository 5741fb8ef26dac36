/**
 * The generated files of the reference, as they must be on disk.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { methodNames } from '../../runtime/src/bridge/gate.ts'
import { implementedLevel } from '../../runtime/src/bridge/level.ts'
import { describeMethod, openRpcDocument } from '../../runtime/src/bridge/openrpc/openrpc.ts'
import { bridgePage } from './bridge-page.ts'

/** A generated file. */
export interface ReferenceFile {
  path: string
  text: string
}

const folder = new URL('../../runtime/docs/', import.meta.url)

export async function referenceFiles(): Promise<ReferenceFile[]> {
  return [
    await formatted('bridge.md', await bridgePage()),
    await formatted('openrpc.json', JSON.stringify(hostIndependent())),
  ]
}

/** What every host of this level says; what a caller may use is told by `rpc.discover` alone. */
function hostIndependent() {
  return openRpcDocument({ level: implementedLevel }, methodNames.map(describeMethod))
}

/** As `npm run fix` would leave it. */
async function formatted(name: string, text: string): Promise<ReferenceFile> {
  const path = fileURLToPath(new URL(name, folder))
  return { path, text: await format(text, { ...(await resolveConfig(path)), filepath: path }) }
}
