/**
 * Ours, as it is built.
 * @module
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { causewayBin } from '../../support/causeway.ts'
import type { Processes } from '../machine/processes.ts'
import { askServer, fullLengthName, trivialRequest, type Server } from './server.ts'

export interface ServeOptions {
  /** For its deployment file and state. */
  folder: string
  processes: Processes
  /** What goes before the command; default nothing. */
  prefix?: readonly string[]
  flags?: readonly string[]
  name?: string
  /** The deployment file's content; default nothing in particular. */
  deployment?: Readonly<Record<string, unknown>>
}

/** `causeway serve` of a deployment. */
export async function startCauseway(options: ServeOptions): Promise<Server> {
  const { processes, prefix = [], flags = [], name = 'causeway', deployment = {} } = options
  const folder = join(options.folder, name)
  await mkdir(folder)
  const file = join(folder, 'deployment.json')
  await writeFile(file, JSON.stringify(deployment))
  const socket = fullLengthName()
  const where = ['--socket', socket, '--state', join(folder, 'state')]
  const command = [process.execPath, causewayBin, 'serve', file, ...where, ...flags]
  const { pid, stop } = await processes.start([...prefix, ...command])
  const reply = await askServer(socket, trivialRequest)
  return { name, socket, pid, request: trivialRequest, reply, stop }
}
