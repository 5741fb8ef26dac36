/**
 * Who may not call a job's bridge, and what the operator reads of it.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Agent } from '../support/admission-agent.ts'
import { admitted, callTwice, refused, refusalOf, statusOf } from '../support/admission-calls.ts'
import type { LogLine } from '../support/admission-log.ts'
import type { Run } from '../support/admission-run.ts'
import { useRuns } from '../support/admission-runs.ts'
import { isRoot, ways } from '../support/admission-ways.ts'

const runs = useRuns()
const needsRoot = 'only root can start processes of other users'

/** The daemons of a way, each with a job. */
type Daemon = 'one' | 'other' | 'third'

// A log tells at once of the first of each reason alone, so that those who may share one are
// refused by a daemon each.
const strangers: {
  who: string
  by: Daemon
  needsRoot: boolean
  find: (own: Run, others: Record<Daemon, Run>) => Promise<Agent>
}[] = [
  { who: 'root', by: 'one', needsRoot: true, find: () => runs.stranger(0) },
  { who: 'another user', by: 'other', needsRoot: true, find: () => runs.stranger(65533) },
  {
    who: "a process of the job's user outside the job",
    by: 'one',
    needsRoot: false,
    find: ({ main }) => runs.stranger(uidOf(main)),
  },
  {
    who: "another deployment's job",
    by: 'third',
    needsRoot: false,
    find: async (_own, { other }) => other.main,
  },
]

describe.each(ways)('$name', (way) => {
  let daemons: Record<Daemon, Run>
  beforeAll(async () => {
    const [one, other, third] = await Promise.all([1, 2, 3].map(() => runs.start(way)))
    daemons = { one: one!, other: other!, third: third! }
  })

  /** What each must have counted by now, by reason. */
  const counts: Record<Daemon, Record<string, number>> = { one: {}, other: {}, third: {} }

  /** Calls of somebody whom it refuses. */
  async function refuses(by: Daemon, stranger: Agent) {
    const { main, socket } = daemons[by]
    expect(await callTwice(stranger, socket)).toMatchObject(refused)
    const refusal = refusalOf(stranger, uidOf(main), way.by)
    counts[by][refusal.reason!] = (counts[by][refusal.reason!] ?? 0) + 2
    return refusal
  }

  test.for(strangers)('refuses and logs $who', async ({ by, find, ...row }, { skip }) => {
    skip(row.needsRoot && !isRoot, needsRoot)
    const { main, socket, logged } = daemons[by]
    const stranger = await find(daemons[by], daemons)
    expect(await stranger.do('names')).toContain(socket)
    await refuses(by, stranger)
    const { reason, ...rest } = await refuses(by, stranger)
    expect(counts[by][reason!]).toBe(4)
    const told = await logged((line) => line.reason === reason)
    expect(told).toMatchObject({ reason, ...rest })
    expect(await callTwice(main, socket)).toMatchObject(admitted)
  })

  test('gives each of two jobs its own bridge only', async () => {
    const { one, other } = daemons
    expect(await callTwice(one.main, one.socket)).toMatchObject(admitted)
    expect(await callTwice(other.main, other.socket)).toMatchObject(admitted)
    await refuses('other', one.main)
    await refuses('one', other.main)
    const isOfUser = way.uid !== 0
    expect(uidOf(one.main) === uidOf(other.main)).toBe(isOfUser)
  })

  test.for(['one', 'other', 'third'] as const)('counts all that %s has refused', async (by) => {
    const { stderr } = await daemons[by].stop()
    expect(refusalsIn(stderr)).toEqual(counts[by])
  })
})

/** How many were told of one by one or as sums, by reason. */
function refusalsIn(stderr: string): Record<string, number> {
  const lines = stderr.split('\n').filter((text) => text.startsWith('{"level"'))
  const found: Record<string, number> = {}
  for (const { reason, refused: sums = {} } of lines.map((text) => JSON.parse(text) as LogLine)) {
    if (reason !== undefined) found[reason] = (found[reason] ?? 0) + 1
    for (const [name, count] of Object.entries(sums)) found[name] = (found[name] ?? 0) + count
  }
  return found
}

function uidOf(agent: Agent): number {
  return statusOf(agent.hostPid()!, 'Uid')
}
