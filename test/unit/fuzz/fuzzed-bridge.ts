/**
 * The real dispatch and handlers, and the check of whatever they answer.
 * @module
 */
import { isAscii } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { dispatchFixture } from '../../support/dispatch-fixture.ts'
import { checkReply } from './proper-reply.ts'

export interface FuzzedBridge {
  /** Sends one line and gives the reply that was checked. @throws Error saying what is wrong */
  check: (line: string | Buffer) => Promise<string | undefined>
  /** Rejections since the start that nobody handled. */
  unhandled: () => Promise<unknown[]>
  stop: () => void
}

export function fuzzedBridge(): FuzzedBridge {
  const { answer, records, lines } = dispatchFixture()
  const rejections: unknown[] = []
  const onRejection = (reason: unknown) => void rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  return {
    async check(line) {
      const bytes = Buffer.from(line)
      // A list that grows by 100,000 entries would be the slowest part.
      records.length = 0
      lines.length = 0
      // As the engine hands lines over.
      const reply = await answer(isAscii(bytes) ? bytes.toString() : bytes)
      checkReply(bytes, reply)
      if (lines.some(({ level }) => Number(level) >= 40)) throw new Error(JSON.stringify(lines))
      return reply
    },
    async unhandled() {
      await nextTurn()
      return rejections
    },
    stop: () => void process.off('unhandledRejection', onRejection),
  }
}
