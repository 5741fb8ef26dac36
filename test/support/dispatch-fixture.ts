/**
 * Request line → reply through the real dispatch, without a socket.
 * @module
 */
import {
  createDispatch,
  type Caller,
  type CallRecord,
  type DispatchOptions,
} from '../../runtime/src/bridge/dispatch.ts'
import { createGate, type GateOptions } from '../../runtime/src/bridge/gate.ts'
import { implementedLevel } from '../../runtime/src/bridge/level.ts'
import { noLimits } from '../../runtime/src/bridge/limits/limits.ts'
import type { Handlers } from '../../runtime/src/bridge/methods.ts'
import { realHandlers } from './real-handlers.ts'
import { recordingLog } from './recording-log.ts'

export const peer = { pid: 4242, uid: 1000, gid: 1000 }
const caller = { peer, judgeAgain: () => undefined }

export interface DispatchFixtureOptions {
  handlers?: Partial<Handlers>
  gate?: Partial<GateOptions>
  /** Default: no rate limits. */
  limits?: DispatchOptions['limits']
  caller?: Caller
  observe?: DispatchOptions['observe']
}

export interface DispatchFixture {
  /** Answers one line; text or bytes. */
  answer: (line: string | Buffer) => Promise<string | undefined>
  /** The same, parsed. */
  ask: (request: unknown) => Promise<unknown>
  /** What `observe` saw. */
  records: CallRecord[]
  /** Lines of the host's log. */
  lines: Record<string, unknown>[]
}

export function dispatchFixture(options: DispatchFixtureOptions = {}): DispatchFixture {
  const records: CallRecord[] = []
  const { log, lines } = recordingLog()
  const dispatch = createDispatch({
    handlers: { ...realHandlers(), ...options.handlers },
    gate: createGate({ level: implementedLevel, ...options.gate }),
    limits: options.limits ?? noLimits,
    log,
    observe: options.observe ?? ((record) => records.push(record)),
  })
  const answer = async (line: string | Buffer) => dispatch(line, options.caller ?? caller)
  return {
    answer,
    ask: async (request) => {
      const reply = await answer(JSON.stringify(request))
      return reply === undefined ? undefined : (JSON.parse(reply) as unknown)
    },
    records,
    lines,
  }
}

/** A request object with id "1". */
export function request(method: string, params: unknown = []): unknown {
  return { jsonrpc: '2.0', method, params, id: '1' }
}
