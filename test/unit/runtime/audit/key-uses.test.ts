import { describe, expect, it } from 'vitest'
import { createKeyUses } from '../../../../runtime/src/audit/key-uses.ts'
import { thrownBy } from '../../../support/thrown.ts'

/** A fake log that can be full. */
function recordedLog() {
  const state = { isFull: false, pending: [] as number[], written: [] as number[], commits: 0 }
  const uses = createKeyUses<number>({
    record: (use) => void state.pending.push(use),
    recordHost: ({ count }) => void state.pending.push(-count),
    commit: () => {
      state.commits++
      if (state.isFull) throw new Error('no space')
      state.written.push(...state.pending.splice(0))
    },
  })
  return { state, uses }
}

describe('uses of keys', () => {
  it('are written by a commit, which does nothing without uses', () => {
    const { state, uses } = recordedLog()
    uses.commit()
    uses.record(1)
    uses.record(2)
    uses.commit()
    uses.commit()
    expect(state).toMatchObject({ written: [1, 2], commits: 1 })
    uses.recordHost({ purpose: 'handshake', curve: 'p256', count: 3 })
    uses.commit()
    expect(state).toMatchObject({ written: [1, 2, -3], commits: 2 })
  })

  it('are refused while the log is full; earlier uses are written when there is space', async () => {
    const { state, uses } = recordedLog()
    state.isFull = true
    uses.check()
    uses.record(1)
    expect(() => uses.commit()).toThrow('no space')
    expect(await thrownBy(() => uses.check())).toMatchObject({
      name: 'RpcError',
      kind: 'UNAVAILABLE',
      message: 'the host cannot write the audit log',
    })
    // Calls that use no key do not retry.
    uses.commit()
    expect(state.commits).toBe(2)
    state.isFull = false
    uses.check()
    uses.record(2)
    uses.commit()
    expect(state.written).toEqual([1, 2])
  })
})
