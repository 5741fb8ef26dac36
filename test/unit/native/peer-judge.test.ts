import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPeerJudge } from '@causeway/native'
import { isRoot } from './job.ts'

const uid = process.getuid!()
const own = { pid: process.pid, uid }
const namespaceOf = (pid: number) => statSync(`/proc/${pid}/ns/pid`).ino

/** A process that has begun. */
async function start(command: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

const shell = ['sh', '-c', 'echo; sleep 60; true'] as const

describe('a judge of peers', () => {
  it('admits nobody before it is told whom, and after it was closed', () => {
    const judge = createPeerJudge()
    const nobody = { reason: 'not-open', observed: 0 }
    expect(judge.judge(own)).toEqual(nobody)
    judge.admit({ by: 'uid', uid })
    expect(judge.judge(own)).toBe(undefined)
    judge.close()
    expect(judge.judge(own)).toEqual(nobody)
  })

  it('admits living processes of a user', async () => {
    const judge = createPeerJudge()
    judge.admit({ by: 'uid', uid })
    expect(judge.judge({ ...own, uid: uid + 1 })).toEqual({ reason: 'uid', observed: uid + 1 })
    const child = await start(...shell)
    const pid = child.pid!
    expect(judge.judge({ pid, uid })).toBe(undefined)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(judge.judge({ pid, uid })).toEqual({ reason: 'gone', observed: pid })
    expect(judge.judge({ pid: 0, uid })).toEqual({ reason: 'gone', observed: 0 })
  })

  it.runIf(isRoot)('admits those of a PID namespace, until they end', async () => {
    const judge = createPeerJudge()
    const outside = await start('unshare', '--pid', '--fork', '--kill-child', ...shell)
    const children = readFileSync(`/proc/${outside.pid}/task/${outside.pid}/children`, 'utf8')
    const pid = Number(children)
    judge.admit({ by: 'pid-namespace', uid, pid })
    expect(judge.judge({ pid, uid })).toBe(undefined)
    const refused = { reason: 'namespace', observed: namespaceOf(process.pid) }
    expect(judge.judge(own)).toEqual(refused)
    expect(judge.judge({ pid: outside.pid!, uid })).toEqual(refused)
    process.kill(pid, 'SIGKILL')
    await once(outside, 'exit')
    expect(judge.judge({ pid, uid })).toEqual({ reason: 'gone', observed: pid })
  })

  it('refuses who is not traced by whom it should', () => {
    const judge = createPeerJudge()
    judge.admit({ by: 'tracer', uid, pid: process.pid })
    expect(judge.judge(own)).toEqual({ reason: 'tracer', observed: 0 })
  })

  it('checks what it is told', () => {
    const judge = createPeerJudge()
    expect(() => judge.judge({ pid: -1, uid })).toThrowError(/^pid must be an integer/)
    expect(() => judge.judge({ pid: 1, uid: -1 })).toThrowError(/^uid must be an integer/)
    expect(() => judge.admit({ by: 'uid', uid: 2 ** 32 })).toThrowError(/^uid must be/)
    const ended = { by: 'pid-namespace', uid, pid: 0x7fffffff } as const
    expect(() => judge.admit(ended)).toThrowError(/^admit ENOENT/)
  })
})
