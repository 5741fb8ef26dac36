/**
 * Replies that wait for what must be kept before anybody hears of it.
 * @module
 */
import type { Logger } from '@causeway/service/log'
import { errorReply, RpcError } from './errors.ts'
import { exactId, restoreId } from './envelope/exact-id.ts'

/** Where replies go. */
export type SendReply = (tag: number, text: string | undefined) => void

export interface RepliesOptions {
  send: SendReply
  /** Keeps what the calls so far left to keep. @throws when it can't; no reply leaves then */
  commit: () => void
  log: Logger
}

/** The replies of calls that came together: one commit for all of them. */
export interface Replies {
  readonly add: SendReply
  /** Commits, then sends. */
  readonly flush: () => void
}

/** The error in the place of a reply, with its id. */
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
