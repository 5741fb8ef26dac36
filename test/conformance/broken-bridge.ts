/**
 * A bridge with one fault: a relay in front of a real one, so that everything else is correct.
 * @module
 */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sendRaw } from '../support/raw-client.ts'
import { serveAbstract, type AbstractServer } from './abstract-server.ts'
import { ReadingSocket } from './kit/src/reading-socket.ts'

/** One request and its client. */
export interface Asked {
  /** The bytes up to a newline, the end of the stream, or a size limit. */
  text: string
  client: Socket
  /** All open connections of the bridge. */
  clients: ReadonlySet<Socket>
  /** Returns the real bridge's reply to one line. */
  ask: (line: string) => Promise<string>
}

/** The fault of a bridge. */
export interface Fault {
  /** Answers instead of the real bridge; returns true if it did. */
  intercept?: (asked: Asked) => boolean | Promise<boolean>
  /** Changes the real bridge's reply; several pieces are sent separately. */
  reply?: (reply: string, request: string) => string | readonly string[]
  /** Leaves the connection open after a reply. */
  staysOpen?: boolean
}

// More than a bridge accepts as a line.
const maxHeldBytes = 2 << 20
// Enough that the client reads twice.
const pieceMs = 10

/** Serves the faulty bridge. */
export async function startBrokenBridge(target: string, fault: Fault): Promise<AbstractServer> {
  const clients = new Set<Socket>()
  return serveAbstract((client) => {
    clients.add(client)
    client.on('close', () => clients.delete(client))
    relay(client, target, fault, clients)
  })
}

/** Collects a line, then passes it on, and everything after it at once. */
function relay(client: Socket, target: string, fault: Fault, clients: Set<Socket>): void {
  const held: Buffer[] = []
  let bytes = 0
  let passed: Promise<Socket | undefined> | undefined
  const pass = () => passOn(Buffer.concat(held), client, target, fault, clients)
  client
    .on('data', (chunk) => {
      if (passed) return void passed.then((upstream) => upstream?.write(chunk))
      held.push(chunk)
      bytes += chunk.length
      if (chunk.includes('\n') || bytes > maxHeldBytes) passed = pass()
    })
    .on('end', () => {
      passed ??= pass()
      void passed.then((upstream) => upstream?.end())
    })
    .on('close', () => void passed?.then((upstream) => upstream?.destroy()))
    .resume()
}

async function passOn(
  request: Buffer,
  client: Socket,
  target: string,
  fault: Fault,
  clients: Set<Socket>,
): Promise<Socket | undefined> {
  const text = request.toString('utf8')
  const ask = async (line: string) => (await sendRaw(target, [`${line}\n`])).text
  if (await fault.intercept?.({ text, client, clients, ask })) return undefined
  const upstream = new ReadingSocket().connect({ path: `\0${target}` })
  const reply: Buffer[] = []
  const finish = () => {
    upstream.off('end', finish).off('close', finish)
    void answer(client, fault, Buffer.concat(reply).toString('utf8'), text)
  }
  upstream
    .on('data', (chunk: Buffer) => reply.push(chunk))
    .on('error', () => upstream.destroy())
    .on('end', finish)
    .on('close', finish)
  upstream.write(request)
  return upstream
}

async function answer(client: Socket, fault: Fault, reply: string, request: string): Promise<void> {
  const pieces = reply === '' ? [] : [fault.reply?.(reply, request) ?? reply].flat()
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await delay(pieceMs)
    if (client.writable) client.write(piece)
  }
  if (!fault.staysOpen || reply === '') client.end()
}
