/** Which processes of a job may call: all of them, however distant from the main one. */
import { readdirSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Agent } from '../support/admission-agent.ts'
import {
  admitted,
  callTwice,
  keyCall,
  refused,
  signed,
  statusOf,
} from '../support/admission-calls.ts'
import type { Run } from '../support/admission-run.ts'
import { useRuns } from '../support/admission-runs.ts'
import { ways } from '../support/admission-ways.ts'

const runs = useRuns()

const members: { who: string; find: (main: Agent) => Promise<Agent> }[] = [
  { who: 'a child', find: (main) => main.fork() },
  { who: 'a grandchild', find: async (main) => (await main.fork()).fork() },
  { who: 'a daemon without its parents', find: (main) => main.fork('daemon') },
  { who: 'a process in a PID namespace of its own', find: (main) => main.fork('namespace') },
  { who: 'a process whose main thread has ended', find: (main) => main.fork('threaded') },
]

describe.each(ways)('$name: admitted', (way) => {
  let run: Run
  beforeAll(async () => {
    run = await runs.start(way)
  })
  afterAll(() => run.stop())

  test('the main process', async () => {
    expect(await callTwice(run.main, run.socket)).toMatchObject(admitted)
  })

  test.for(members)('$who', async ({ find }, { skip }) => {
    const member = await find(run.main)
    const { error } = member.hello
    skip(error !== null, `the sandbox does not allow it here: ${error}`)
    expect(await callTwice(member, run.socket)).toMatchObject(admitted)
    await member.do('exit').catch(() => {})
  })

  test('a daemon has its own session and no parent but the init', async () => {
    const daemon = await run.main.fork('daemon')
    expect(daemon.hello.session).not.toBe(run.main.hello.session)
    expect(daemon.hello.ppid).toBe(run.main.hello.ppid)
    expect(await callTwice(daemon, run.socket)).toMatchObject(admitted)
  })

  // PRoot cannot read the address to which such a process connects, so it connects before.
  test('a process that is not dumpable when it is accepted', async () => {
    const { main, socket, pid } = run
    const member = await main.fork()
    process.kill(pid, 'SIGSTOP')
    try {
      await member.do('open', { key: 'held', name: socket })
      await member.do('hide')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect(await member.callOn('held', ...keyCall)).toMatchObject(signed)
  })

  test('members stay admitted, and others with their uid refused, in turns', async ({ skip }) => {
    const { main, socket } = run
    const uid = statusOf(main.hostPid()!, 'Uid')
    skip(uid !== process.getuid?.() && process.getuid?.() !== 0, 'only root can take another uid')
    const stranger = await runs.stranger(uid)
    for (let turn = 0; turn < 3; turn++) {
      expect(await callTwice(main, socket)).toMatchObject(admitted)
      expect(await callTwice(stranger, socket)).toMatchObject(refused)
    }
    await stranger.do('exit').catch(() => {})
  })

  test('300 processes one after the other use few descriptors', async ({ skip }) => {
    const { main, socket, pid } = run
    const line = '{"jsonrpc":"2.0","method":"processor_version","params":[],"id":"1"}'
    const replies = await main.do('crowd', { name: socket, line, count: 300 })
    const reply = '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0"}}\n'
    expect(replies).toEqual(Array(300).fill(reply))
    skip(process.getuid?.() !== 0, 'only root may look into the daemon')
    const held = heldProcesses(pid)
    expect(held).toBeGreaterThan(0)
    // At most 64 processes and the tracer.
    expect(held).toBeLessThanOrEqual(65)
  })
})

/** Number of pidfds that a process has open. */
function heldProcesses(pid: number): number {
  const folder = `/proc/${pid}/fd`
  const links = readdirSync(folder).map((fd) => readlinkSync(`${folder}/${fd}`))
  return links.filter((link) => link === 'anon_inode:[pidfd]' || link.startsWith('pidfd:')).length
}
