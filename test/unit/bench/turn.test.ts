import { expect, test, vi } from 'vitest'
import { takeTurn } from '../../bench/machine/turn.ts'
import { uniqueName } from '../../support/bridge-fixture.ts'

test('the second one waits for the end of the first', { timeout: 60_000 }, async () => {
  const name = uniqueName()
  const { signal } = new AbortController()
  const onWait = vi.fn<() => void>()
  const endFirst = await takeTurn({ name, onWait, signal })
  expect(onWait).not.toHaveBeenCalled()
  let isTaken = false
  const second = takeTurn({ name, onWait, signal }).then((end) => {
    isTaken = true
    return end
  })
  await vi.waitFor(() => expect(onWait).toHaveBeenCalledOnce())
  expect(isTaken).toBe(false)
  endFirst()
  const endSecond = await second
  endSecond()
})

test('who waits can be told to stop', { timeout: 60_000 }, async () => {
  const name = uniqueName()
  const controller = new AbortController()
  const options = { name, onWait: () => controller.abort(new Error('no more')) }
  const end = await takeTurn({ ...options, signal: controller.signal })
  const second = takeTurn({ ...options, signal: controller.signal })
  await expect(second).rejects.toThrow('no more')
  end()
})
