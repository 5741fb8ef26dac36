/**
 * A bridge for the kit: the built `causeway serve`, with its own deployment.
 * @module
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serve } from '../support/causeway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export const isBuilt = existsSync(new URL('../../runtime/dist/main.js', import.meta.url))

const noResolver = '[network]\nresolvers = ["127.0.0.1:9"]\n'

export interface ServeOptions {
  /** Content of the deployment file, besides its id. */
  deployment?: object
  /** Content of the configuration file; default: a resolver that fails at once. */
  config?: string
  flags?: readonly string[]
}

export interface ServedDeployment extends AsyncDisposable {
  /** Name of its socket. */
  socket: string
}

/** Serves until disposed, which also removes its files. */
export async function serveDeployment(options: ServeOptions = {}): Promise<ServedDeployment> {
  const { deployment = {}, config = noResolver, flags = [] } = options
  const folder = await temporaryFolder()
  const path = (name: string) => join(folder.path, name)
  await writeFile(path('deployment.json'), JSON.stringify({ id: '3510', ...deployment }))
  await writeFile(path('config.toml'), config)
  const where = ['--state', path('state'), '--config', path('config.toml')]
  const host = await serve([path('deployment.json'), ...where, ...flags])
  return {
    socket: host.ready.socket,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
