/** Who may not call a job's bridge, and what is logged about it. */
import { describe, expect, test } from 'vitest'
import type { Agent } from '../support/admission-agent.ts'
import { admitted, callTwice, refused, refusalOf, statusOf } from '../support/admission-calls.ts'
import type { Run } from '../support/admission-run.ts'
import { useRuns } from '../support/admission-runs.ts'
import { isRoot, ways, type Way } from '../support/admission-ways.ts'

const runs = useRuns()
const needsRoot = 'only root can start processes of other users'

const strangers: {
  who: string
  needsRoot: boolean
  find: (run: Run, way: Way) => Promise<Agent>
}[] = [
  { who: 'root', needsRoot: true, find: () => runs.stranger(0) },
  { who: 'another user', needsRoot: true, find: () => runs.stranger(65533) },
  {
    who: "a process of the job's user outside the job",
    needsRoot: false,
    find: ({ main }) => runs.stranger(uidOf(main)),
  },
  {
    who: "another deployment's job",
    needsRoot: false,
    find: async (_run, way) => (await runs.start(way)).main,
  },
]

describe.each(ways)('$name: refused, counted and logged', (way) => {
  test.for(strangers)('$who', async (row, { skip }) => {
    skip(row.needsRoot && !isRoot, needsRoot)
    const run = await runs.start(way)
    const stranger = await row.find(run, way)
    expect(await stranger.do('names')).toContain(run.socket)
    for (let turn = 0; turn < 2; turn++)
      expect(await callTwice(stranger, run.socket)).toMatchObject(refused)
    const { reason, ...rest } = refusalOf(stranger, uidOf(run.main), way.by)
    const told = await run.logged((line) => line.reason !== undefined)
    expect(told).toMatchObject({ reason, ...rest })
    expect(await callTwice(run.main, run.socket)).toMatchObject(admitted)
    const { stderr } = await run.stop()
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1)!)).toMatchObject({
      msg: '3 more callers refused',
      refused: { [reason!]: 3 },
    })
  })
})

describe.each(ways)('$name: two jobs', (way) => {
  test('each can call only its own bridge', async () => {
    const [one, other] = [await runs.start(way), await runs.start(way)]
    expect(await callTwice(one.main, one.socket)).toMatchObject(admitted)
    expect(await callTwice(other.main, other.socket)).toMatchObject(admitted)
    expect(await callTwice(one.main, other.socket)).toMatchObject(refused)
    expect(await callTwice(other.main, one.socket)).toMatchObject(refused)
    const isOfUser = way.uid !== 0
    expect(uidOf(one.main) === uidOf(other.main)).toBe(isOfUser)
  })
})

function uidOf(agent: Agent): number {
  return statusOf(agent.hostPid()!, 'Uid')
}
