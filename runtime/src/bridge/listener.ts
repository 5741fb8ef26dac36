/**
 * Line → answer over the native engine, which has accepted, judged and read; the dispatch above
 * does not know which transport it sits on.
 * @module
 */
import {
  startBridgeEngine,
  type BridgeEngine,
  type EngineOptions,
  type Membership,
} from '@causeway/native'
import type { Logger } from 'pino'
import { StartError } from '../start-error.ts'
import { peerRejected } from './admission.ts'
import type { Answer, Caller } from './dispatch.ts'
import { errorReply, RpcError } from './errors.ts'
import type { BridgeLimits } from './limits.ts'
import { createNotices, tooMany } from './notices.ts'
import { createRefusalLog, type RefusalLog } from './refusal-log.ts'

export interface ListenerOptions {
  /** Name of the abstract socket without the leading NUL, 1 to 107 bytes. */
  name: string
  answer: Answer
  limits: BridgeLimits
  log: Logger
}

/** A listening bridge. */
export interface Listener {
  /** Says whose processes may call; before the first time nobody may. @throws SystemError */
  admit(membership: Membership): void
  /** Stops listening and closes every connection; unanswered calls get `UNAVAILABLE`. */
  stop(): void
}

/**
 * Listens on both forms of the name, and admits nobody yet.
 * @throws StartError SOCKET_UNAVAILABLE when the name is taken or too long; nothing listens then
 */
export function startListener({ name, answer, limits, log }: ListenerOptions): Listener {
  const refusals = createRefusalLog(log)
  const closing = errorReply(new RpcError('UNAVAILABLE', 'this bridge is closing'))
  const engine = startOrExplain({
    name,
    limits,
    notices: createNotices(limits),
    onLine: (line, peer, tag) => respond(line, callerOf(engine, refusals, peer, tag), tag),
    onRefusal: refusals.add,
  })
  const respond = createRespond({ answer, limits, log }, engine)
  return {
    admit: (membership) => engine.admit(membership),
    stop() {
      engine.close(closing)
      refusals.flush()
    },
  }
}

function startOrExplain(options: EngineOptions): BridgeEngine {
  try {
    return startBridgeEngine(options)
  } catch (cause) {
    const message = `abstract socket ${JSON.stringify(options.name)}: ${(cause as Error).message}`
    throw new StartError('SOCKET_UNAVAILABLE', message, { cause })
  }
}

function createRespond(
  { answer, limits, log }: Pick<ListenerOptions, 'answer' | 'limits' | 'log'>,
  engine: BridgeEngine,
) {
  const busy = errorReply(tooMany('calls in flight', limits.maxInFlight))
  let inFlight = 0
  const failed = (err: unknown) => {
    log.error({ err }, 'a call could not be answered')
    return errorReply(new RpcError('INTERNAL', 'internal error'))
  }
  const later = async (tag: number, pending: Promise<string | undefined>) => {
    inFlight++
    engine.reply(tag, await pending.catch(failed))
    inFlight--
  }
  return (line: string | Buffer, caller: Caller, tag: number) => {
    if (inFlight >= limits.maxInFlight) return void engine.reply(tag, busy)
    const answered = answer(line, caller)
    if (answered instanceof Promise) void later(tag, answered)
    else engine.reply(tag, answered)
  }
}

function callerOf(
  engine: BridgeEngine,
  refusals: RefusalLog,
  peer: Caller['peer'],
  tag: number,
): Caller {
  return {
    peer,
    judgeAgain() {
      const refusal = engine.judgeAgain(tag)
      if (!refusal) return undefined
      refusals.add({ ...refusal, peer, count: 1 })
      return peerRejected()
    },
  }
}
