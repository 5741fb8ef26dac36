/**
 * The generated files of the reference, with the content that they must have on disk.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { methodNames } from '../../runtime/src/bridge/gate.ts'
import { implementedLevel } from '../../runtime/src/bridge/level.ts'
import { describeMethod, openRpcDocument } from '../../runtime/src/bridge/openrpc/openrpc.ts'
import { bridgePage } from './bridge-page.ts'
import { openApiDocument } from './openapi.ts'

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
    await formatted('openapi.json', JSON.stringify(openApiDocument())),
  ]
}

/** The document for every host of this level; only `rpc.discover` knows the caller's methods. */
function hostIndependent() {
  return openRpcDocument({ level: implementedLevel }, methodNames.map(describeMethod))
}

/** Formats it as `npm run fix` would. */
async function formatted(name: string, text: string): Promise<ReferenceFile> {
  const path = fileURLToPath(new URL(name, folder))
  return { path, text: await format(text, { ...(await resolveConfig(path)), filepath: path }) }
}
