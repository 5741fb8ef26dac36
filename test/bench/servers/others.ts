/**
 * The servers that ours is compared with; all give the same reply as ours.
 * @module
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Processes } from '../machine/processes.ts'
import { askServer, fullLengthName, trivialRequest, type Server } from './server.ts'

export interface OtherOptions {
  name: string
  /** The program and its arguments before the socket's name. */
  command: readonly string[]
  /** Its arguments after the reply's file. */
  extra?: readonly string[]
  /** The reply that the server must give. */
  reply: string
  /** Default: the trivial request. */
  request?: string
  folder: string
  processes: Processes
}

/** Starts `COMMAND SOCKET REPLY-FILE EXTRA` without checking its reply. */
export async function startUnasked(options: OtherOptions): Promise<Server> {
  const { name, command, extra = [], reply, request = trivialRequest } = options
  const { folder, processes } = options
  const file = join(folder, `${name}.answer`)
  await writeFile(file, reply)
  const socket = fullLengthName()
  const { pid, stop } = await processes.start([...command, socket, file, ...extra])
  return { name, socket, pid, request, reply, stop }
}

/** Starts it and asks for its real reply. @throws Error when that lacks the expected one */
export async function startOther(options: OtherOptions): Promise<Server> {
  const server = await startUnasked(options)
  const reply = await askServer(server.socket, server.request)
  if (!reply.endsWith(options.reply))
    throw new Error(`${server.name}: expected ${options.reply} at the end, found ${reply}`)
  return { ...server, reply }
}

/** A server in this folder, run by this Node. */
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
