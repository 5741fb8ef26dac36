/**
 * Connects the native engine to the dispatch. The engine accepts connections, admits peers and
 * reads lines; the dispatch does not depend on the transport.
 * @module
 */
import {
  startBridgeEngine,
  type BridgeEngine,
  type EngineOptions,
  type Membership,
} from '@causeway/native'
import type { Logger } from '@causeway/service/log'
import { StartError } from '../errors/start-error.ts'
import { peerRejected } from './admission.ts'
import type { Answer, Caller } from './dispatch.ts'
import { errorReply, RpcError } from './errors.ts'
import type { BridgeLimits } from './limits/limits.ts'
import { createNotices } from './notices.ts'
import { createReplies, type Replies } from './replies.ts'
import { createRefusalLog, type RefusalLog } from './refusal-log.ts'

export interface ListenerOptions {
  /** Name of the abstract socket without the leading NUL, 1 to 107 bytes. */
  name: string
  /** Descriptor of the network namespace to listen in; default: the daemon's own. */
  network?: number
  answer: Answer
  /** Saves what calls recorded; runs before a reply to any of them leaves. */
  commit: () => void
  limits: BridgeLimits
  log: Logger
  /** Id of the deployment, for the log. */
  deployment?: string
}

export interface Listener {
  /** Sets whose processes may call; before that nobody may. @throws SystemError */
  admit(membership: Membership): void
  /** Stops listening and closes every connection; unanswered calls get `UNAVAILABLE`. */
  stop(): void
}

/**
 * Listens on both forms of the name, and admits nobody yet.
 * @throws StartError SOCKET_UNAVAILABLE when the name is taken or too long; then nothing listens
 */
export function startListener(options: ListenerOptions): Listener {
  const { name, network, answer, commit, limits, log, deployment } = options
  const refusals = createRefusalLog(log, { ...(deployment !== undefined && { deployment }) })
  const closing = errorReply(new RpcError('UNAVAILABLE', 'this bridge is closing'))
  const replies = createReplies({ send: (tag, text) => engine.reply(tag, text), commit, log })
  const engine = startOrExplain({
    name,
    ...(network !== undefined && { network }),
    limits,
    notices: createNotices(limits),
    onLine: (line, peer, tag) =>
      respond(replies, tag, answer(line, callerOf(engine, refusals, peer, tag))),
    onLinesEnd: replies.flush,
    onRefusal: refusals.add,
  })
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

/** Sends a ready answer together with those of other lines, and a later one alone. */
function respond(replies: Replies, tag: number, answered: ReturnType<Answer>): void {
  if (!(answered instanceof Promise)) return replies.add(tag, answered)
  void answered.then((text) => {
    replies.add(tag, text)
    replies.flush()
  })
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
