import { describe, expect, it } from 'vitest'
import { createReplies } from '../../../../runtime/src/bridge/replies.ts'
import { recordingLog } from '../../../support/recording-log.ts'

/** Replies that record commits and sends in order. */
function recorded(commit: () => void) {
  const events: unknown[] = []
  const { log, lines } = recordingLog()
  const replies = createReplies({
    send: (tag, text) => events.push([tag, text]),
    commit: () => {
      commit()
      events.push('commit')
    },
    log,
  })
  return { events, lines, replies }
}

describe('replies', () => {
  it('are sent after the commit, in order, once', () => {
    const { events, replies } = recorded(() => {})
    replies.add(1, 'one')
    replies.add(2, undefined)
    expect(events).toEqual([])
    replies.flush()
    replies.flush()
    expect(events).toEqual(['commit', [1, 'one'], [2, undefined], 'commit'])
  })

  it('are not sent when the commit fails; later ones are sent again', () => {
    let isFull = true
    const { events, lines, replies } = recorded(() => {
      if (isFull) throw new Error('no space')
    })
    replies.add(1, '{"jsonrpc":"2.0","id":"a","result":"signature"}')
    replies.add(2, '{"jsonrpc":"2.0","id":1795190642803123456,"result":"signature"}')
    replies.add(3, undefined)
    replies.flush()
    isFull = false
    replies.add(4, 'four')
    replies.flush()
    const withheld = (id: string) =>
      `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the host cannot write the audit log of this call","data":{"kind":"UNAVAILABLE","retryable":true}},"id":${id}}`
    expect(events).toEqual([
      [1, withheld('"a"')],
      [2, withheld('1795190642803123456')],
      // A notification never has an answer.
      [3, undefined],
      'commit',
      [4, 'four'],
    ])
    expect(lines).toMatchObject([{ msg: 'replies withheld', err: { message: 'no space' } }])
  })

  it('added while others are sent wait for their own commit', () => {
    const sent: number[] = []
    let commits = 0
    const { log } = recordingLog()
    const replies = createReplies({
      send: (tag) => {
        sent.push(tag)
        if (tag === 1) replies.add(2, 'two')
      },
      commit: () => void commits++,
      log,
    })
    replies.add(1, 'one')
    replies.flush()
    expect({ sent, commits }).toEqual({ sent: [1], commits: 1 })
    replies.flush()
    expect({ sent, commits }).toEqual({ sent: [1, 2], commits: 2 })
  })
})
