/**
 * Starts our own bridge, as built.
 * @module
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { causewayBin } from '../../support/causeway.ts'
import type { Processes } from '../machine/processes.ts'
import { askServer, fullLengthName, trivialRequest, type Server } from './server.ts'

export interface ServeOptions {
  /** Folder for its deployment file and state. */
  folder: string
  processes: Processes
  /** Prefix of the command; default none. */
  prefix?: readonly string[]
  flags?: readonly string[]
  name?: string
  /** The deployment file's content; default an arbitrary one. */
  deployment?: Readonly<Record<string, unknown>>
}

/** Runs `causeway serve` for a deployment. */
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
