/**
 * Calls whose replies show whether a process is admitted, and the log lines of a refusal.
 * @module
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { expect } from 'vitest'
import type { Agent } from './admission-agent.ts'
import type { LogLine } from './admission-log.ts'
import type { Way } from './admission-ways.ts'

/** A call that uses a key, so that its caller is judged twice. */
export const keyCall = ['signer_sign', [{ curve: 'ed25519', bytes: '00' }]] as const

export const signed = { result: { bytes: expect.stringMatching(/^[0-9a-f]{128}$/) as string } }
export const rejected = { id: null, error: { code: -32001, data: { kind: 'PEER_REJECTED' } } }
/** Rejected after its request was read. */
export const rejectedLate = { ...rejected, id: '1' }

/** The replies to a call without a key and to one with a key. */
export async function callTwice(agent: Agent, socket: string): Promise<unknown[]> {
  return [await agent.call(socket, 'processor_version'), await agent.call(socket, ...keyCall)]
}

/** What {@link callTwice} returns to a member, and to any other process. */
export const admitted = [{ result: { version: '1.27.0' } }, signed]
export const refused = [rejected, rejected]

/** The log line about a living process that is not a member. */
export function refusalOf(agent: Agent, jobUid: number, by: Way['by']): Partial<LogLine> {
  const pid = agent.hostPid()!
  const uid = statusOf(pid, 'Uid')
  const peer = { pid, uid, gid: statusOf(pid, 'Gid'), command: agent.hello.label }
  if (uid !== jobUid) return { peer, reason: 'uid', observed: uid }
  return by === 'tracer'
    ? { peer, reason: 'tracer', observed: statusOf(pid, 'TracerPid') }
    : { peer, reason: 'namespace', observed: namespaceOf(pid) }
}

/** The first number of a line of `/proc/PID/status`. */
export function statusOf(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1])
}

/** The inode of a process's PID namespace. */
function namespaceOf(pid: number): number {
  return Number(/\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0])
}
