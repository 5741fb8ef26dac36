/** Holds replies back until the records of their calls are saved. @module */
import type { Logger } from '@causeway/service/log'
import { errorReply, RpcError } from './errors.ts'
import { exactId, restoreId } from './envelope/exact-id.ts'

/** Sends a reply to a connection. */
export type SendReply = (tag: number, text: string | undefined) => void

export interface RepliesOptions {
  send: SendReply
  /** Saves what the calls so far recorded. @throws when it cannot; then no reply leaves */
  commit: () => void
  log: Logger
}

/** Replies of calls that arrived together; they share one commit. */
export interface Replies {
  readonly add: SendReply
  /** Commits, then sends. */
  readonly flush: () => void
}

/** The error that replaces a reply, with the reply's id. */
function notKept(text: string): string {
  const error = new RpcError('UNAVAILABLE', 'the host cannot write the audit log of this call')
  const { id } = JSON.parse(text) as { id: string | number | null }
  const exact = exactId(text, id)
  const reply = errorReply(error, exact ? exact.token : id)
  return exact ? restoreId(reply, exact) : reply
}

export function createReplies({ send, commit, log }: RepliesOptions): Replies {
  let tags: number[] = []
  let texts: (string | undefined)[] = []
  return {
    add(tag, text) {
      tags.push(tag)
      texts.push(text)
    },
    flush() {
      const isKept = tryCommit(commit, log)
      const [sentTags, sentTexts] = [tags, texts]
      tags = []
      texts = []
      sentTags.forEach((tag, index) => {
        const text = sentTexts[index]
        send(tag, isKept || text === undefined ? text : notKept(text))
      })
    },
  }
}

function tryCommit(commit: () => void, log: Logger): boolean {
  try {
    commit()
    return true
  } catch (error) {
    log.error({ err: error }, 'replies withheld')
    return false
  }
}
