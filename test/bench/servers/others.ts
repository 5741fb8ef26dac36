/**
 * What ours is compared with; all give the reply that ours gives.
 * @module
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Processes } from '../machine/processes.ts'
import { askServer, fullLengthName, trivialRequest, type Server } from './server.ts'

export interface OtherOptions {
  name: string
  /** The program and its arguments up to the socket's name. */
  command: readonly string[]
  /** Its arguments after the reply's file. */
  extra?: readonly string[]
  /** The reply to give. */
  reply: string
  /** Default the trivial request. */
  request?: string
  folder: string
  processes: Processes
}

/** Starts `COMMAND SOCKET REPLY-FILE EXTRA` and takes its word for the reply. */
export async function startUnasked(options: OtherOptions): Promise<Server> {
  const { name, command, extra = [], reply, request = trivialRequest } = options
  const { folder, processes } = options
  const file = join(folder, `${name}.answer`)
  await writeFile(file, reply)
  const socket = fullLengthName()
  const { pid, stop } = await processes.start([...command, socket, file, ...extra])
  return { name, socket, pid, request, reply, stop }
}

/** The same, with the reply it really gives. @throws Error when it lacks the one it was to give */
export async function startOther(options: OtherOptions): Promise<Server> {
  const server = await startUnasked(options)
  const reply = await askServer(server.socket, server.request)
  if (!reply.endsWith(options.reply))
    throw new Error(`${server.name}: expected ${options.reply} at the end, found ${reply}`)
  return { ...server, reply }
}

/** A server of this folder, run by this Node. */
export function nodeProgram(
  file: 'node-net.ts' | 'node-http.ts' | 'bridge-process.ts',
): readonly string[] {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return [process.execPath, '--import', 'tsx', path]
}

/** The trivial request in an HTTP envelope. */
export const trivialHttpRequest = [
  'POST / HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${trivialRequest.length}`,
  'Connection: close',
  '',
  trivialRequest,
].join('\r\n')
