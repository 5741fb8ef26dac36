/** Whoever of them dies, at whatever step: nothing of a job is left. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { childrenOf } from '../../../runtime/src/sandbox/launcher/process-tree.ts'
import { times } from '../../support/effort.ts'
import { launch, launcher } from './job.ts'
import {
  inRoot,
  kinds,
  makePlace,
  mountsBelow,
  stage,
  type Kind,
  type Place,
} from './launcher-place.ts'
import { untilCount } from './processes.ts'

let tokens = 0
const uniqueToken = () => `7${process.pid}.${Date.now()}${tokens++}`

/** Host processes with a word of that token among their arguments. */
const program = (kind: Kind, token: string) => {
  const box = inRoot(kind, '/bin/busybox')
  const script = `${box} setsid ${box} sleep ${token} & (trap "" TERM HUP; exec ${box} sleep ${token}) & echo ready; ${box} sleep ${token}; true`
  return [box, 'sh', '-c', script, token]
}

// A name that only these launchers have among their arguments.
const marked = (token: string) => ['--env', `TOKEN=${token}`, '--env', token + '=']

interface Started {
  child: ReturnType<typeof launch>
  control: Duplex
  token: string
  place: Place
}

/** A launcher whose job's root is mounted. */
async function startMounted(kind: Kind): Promise<Started> {
  const [token, place] = [uniqueToken(), makePlace(kind)]
  const args = ['--control', ...stage(kind, place), ...marked(token), '--', ...program(kind, token)]
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'] as const
  const child = launch(kind.starter, args, { stdio: [...stdio] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const control = (child.stdio as readonly unknown[])[5] as Duplex
  control.on('error', () => {})
  await once(control, 'data')
  return { child, control, token, place }
}

/** The same with its job running. */
async function startRunning(kind: Kind): Promise<Started> {
  const started = await startMounted(kind)
  started.control.write('g')
  await once(started.child.stdout!, 'data')
  // Its main shell and three times sleep, and the launcher.
  await untilCount(started.token, 5)
  return started
}

const steps = [
  { step: 'its root is mounted', start: startMounted },
  { step: 'the job runs', start: startRunning },
]
const rows = kinds.flatMap((kind) => steps.map((step) => ({ ...kind, ...step, of: kind })))

describe.each(rows)('$kind, when $step', ({ of, start }) => {
  it.each([
    ['launcher', ({ child }: Started) => child.pid!],
    ["launcher's child", ({ child }: Started) => childrenOf(child.pid!)[0]!],
  ])('leaves nothing when the %s is killed', async (_who, pidOf) => {
    const started = await start(of)
    process.kill(pidOf(started), 'SIGKILL')
    await once(started.child, 'exit')
    expect(await untilCount(started.token, 0)).toEqual([])
    expect(mountsBelow(started.place.folder)).toEqual([])
  })
})

// Starts what follows and waits for ever, as a daemon that is killed.
const parent = `
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, env={})
child.wait()
`

describe.each(kinds)('$kind', (kind) => {
  it('ends with whoever started its launcher', async () => {
    const [token, place] = [uniqueToken(), makePlace(kind)]
    const args = [...stage(kind, place), ...marked(token), '--', ...program(kind, token)]
    const { uid, gid } = kind.starter.spawn
    const user = uid === undefined || gid === undefined ? {} : { uid, gid }
    const daemon = spawn('python3', ['-c', parent, launcher, ...args], { cwd: '/', ...user })
    onTestFinished(() => void daemon.kill('SIGKILL'))
    await once(daemon.stdout, 'data')
    // With the parent's own arguments.
    await untilCount(token, 6)
    daemon.kill('SIGKILL')
    expect(await untilCount(token, 0)).toEqual([])
    expect(mountsBelow(place.folder)).toEqual([])
  })

  it('ends wherever its launcher is killed while it starts', async () => {
    for (let delayMs = 0; delayMs < 40; delayMs += 2) {
      const [token, place] = [uniqueToken(), makePlace(kind)]
      const args = [...stage(kind, place), ...marked(token), '--', ...program(kind, token)]
      const child = launch(kind.starter, args, { stdio: 'ignore' })
      await once(child, 'spawn')
      await pause(delayMs)
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      expect(await untilCount(token, 0)).toEqual([])
      expect(mountsBelow(place.folder)).toEqual([])
    }
  }, 60_000)

  // Between a fork and the child's wish to die with its parent there are a few microseconds only.
  it('ends at whatever microsecond its launcher is killed', async () => {
    const [token, place] = [uniqueToken(), makePlace(kind)]
    const options = [...stage(kind, place), '--', inRoot(kind, '/bin/busybox'), 'true', '']
    const block = options.map((option) => `${option}\0`).join('')
    // Other moments each time, so that few kills a run find what many would.
    const phase = Math.random()
    for (let kill = 0; kill < kills; kill++) {
      const child = launch(kind.starter, ['--control', '--spare', ...marked(token)], {
        stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
      })
      const control = (child.stdio as readonly unknown[])[5] as Duplex
      control.on('error', () => {})
      await pause(untilItReadsMs)
      const until = performance.now() + ((kill + phase) / kills) * longestMs
      control.write(block)
      while (performance.now() < until);
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect(await untilCount(`${token}=`, 0)).toEqual([])
    expect(mountsBelow(place.folder)).toEqual([])
  }, 60_000)
})

const kills = times({ short: 200, long: 600 })
const longestMs = 1.2
const untilItReadsMs = 4
