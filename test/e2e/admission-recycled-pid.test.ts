/** A member passes its connection to a process outside and ends; another process gets its pid. */
import { describe, expect, test } from 'vitest'
import type { Agent } from '../support/admission-agent.ts'
import {
  admitted,
  callTwice,
  keyCall,
  refused,
  rejected,
  rejectedLate,
} from '../support/admission-calls.ts'
import type { LogLine } from '../support/admission-log.ts'
import { useRuns } from '../support/admission-runs.ts'
import { isRoot, ways, type Way } from '../support/admission-ways.ts'
import { withNamespacedRun, type NamespacedRun } from '../support/admission-namespaced-run.ts'

const runs = useRuns()

// The connections stay open longer than the default time limit for a line.
const config = '[bridge.limits]\nlineTimeoutMs = 600_000\n'
const inNamespace = (way: Way, call: (run: NamespacedRun) => Promise<void>) =>
  withNamespacedRun({ ...runs.common(), way, config }, call)

/** Opens connections, passes them to the outsider and ends. Returns its former pid. */
async function handOverAndEnd(
  member: Agent,
  run: NamespacedRun,
  keys: readonly string[],
  opened: () => Promise<unknown> = async () => {},
) {
  const { socket, outsider, pidOf } = run
  const name = `${socket}-box`
  await outsider.do('post', { key: 'box', name })
  for (const key of keys) await member.do('open', { key, name: socket })
  await opened()
  await member.do('give', { keys, name })
  await outsider.do('take', { key: 'box', keys })
  const pid = (await pidOf(member))!
  await member.do('exit').catch(() => {})
  while ((await pidOf(member)) !== null) await member.ended
  return pid
}

const isRefusal = ({ reason }: LogLine) => reason !== undefined

const successors = [
  { who: 'a stranger', parent: ({ outsider }: NamespacedRun) => outsider },
  { who: 'another process of the job', parent: ({ main }: NamespacedRun) => main },
]

const needsRoot = 'only root can have a pid reused'

describe.each(ways)('$name: the pid now belongs to', (way) => {
  test.for(successors)('$who, and no key is used', async ({ parent }, { skip }) => {
    skip(!isRoot, needsRoot)
    await inNamespace(way, async (run) => {
      const member = await run.main.fork()
      expect(await callTwice(member, run.socket)).toMatchObject(admitted)
      // Connections are accepted in order, so this reply shows that they are.
      const accepted = () => run.main.call(run.socket, 'processor_version')
      const pid = await handOverAndEnd(member, run, ['a', 'b'], accepted)
      const successor = await run.recycle(pid, parent(run))
      expect(await run.outsider.callOn('a', ...keyCall)).toMatchObject(rejectedLate)
      expect(await run.logged(isRefusal)).toMatchObject({
        reason: 'gone',
        peer: { pid, command: successor.hello.label },
      })
      // A call that uses no key is judged by the admission of its connection.
      const version = await run.outsider.callOn('b', 'processor_version')
      expect(version).toHaveProperty('result.version')
      const isMember = parent(run) === run.main
      expect(await callTwice(successor, run.socket)).toMatchObject(isMember ? admitted : refused)
    })
  })
})

// One member that the bridge already knows, and one that it has not seen.
const members = [
  { who: 'known', isKnown: true },
  { who: 'unknown', isKnown: false },
]

describe.each(ways)('$name: the pid was reused before accept', (way) => {
  test.for(members)('of a member that was $who', async ({ isKnown }, { skip }) => {
    skip(!isRoot, needsRoot)
    await inNamespace(way, async (run) => {
      const { socket, main, outsider } = run
      const member = await main.fork()
      if (isKnown) await callTwice(member, socket)
      let pid = 0
      await run.whileStopped(async () => {
        // The listener of this form comes first, so the successor is known by then.
        await main.do('open', { key: 'first', name: socket, padded: true })
        pid = await handOverAndEnd(member, run, ['a'])
        const successor = await run.recycle(pid, main)
        await successor.do('open', { key: 'successor', name: socket, padded: true })
      })
      expect(await outsider.callOn('a', 'processor_version')).toMatchObject(rejected)
      expect(await run.logged(isRefusal)).toMatchObject({ reason: 'gone', peer: { pid } })
    })
  })
})
