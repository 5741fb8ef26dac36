import { afterwards, ifThere, noneOn, orUndo } from '@causeway/service/failure'
import { expect, test } from 'vitest'

const refused = Object.assign(new Error('no'), { code: 'EACCES' })
const missing = Object.assign(new Error('none'), { code: 'ENOENT' })
const throwing = (error: Error) => () => {
  throw error
}

test('work that fails is undone before its error goes on', async () => {
  const steps: string[] = []
  const undo = async () => {
    await Promise.resolve()
    steps.push('undone')
  }
  await orUndo(throwing(refused), undo).catch(() => steps.push('failed'))
  expect(steps).toEqual(['undone', 'failed'])
})

test('work that succeeds is not undone', async () => {
  expect(await orUndo(() => 1, throwing(refused))).toBe(1)
})

test.for([async () => {}, async () => throwing(refused)()])(
  'is cleaned up after: %#',
  async (work) => {
    const steps: string[] = []
    const clean = async () => {
      await Promise.resolve()
      steps.push('cleaned')
    }
    await Promise.allSettled([afterwards(work(), clean)])
    expect(steps).toEqual(['cleaned'])
  },
)

test('only a missing file is none', () => {
  expect(ifThere(throwing(missing))).toBeUndefined()
  expect(ifThere(throwing(refused), 'EACCES')).toBeUndefined()
  expect(() => ifThere(throwing(refused))).toThrow(refused)
  expect(() => noneOn('ENOENT')(new Error('without a code'))).toThrow('without a code')
})
