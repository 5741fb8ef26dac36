/**
 * Kills the daemon with `kill -9` at random moments: nothing of its jobs remains, and nothing about
 * them that was visible outside is lost.
 */
import { createHash, randomInt } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, test, type ExpectStatic } from 'vitest'
import type { LogEntry } from '../../runtime/src/supervisor/log/log-entry.ts'
import type { AttemptRecord } from '../../runtime/src/supervisor/record/record.ts'
import type { DeploymentDetail } from '../../runtime/src/supervisor/summary.ts'
import { groupsOf } from '../support/causeway-leftovers.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import {
  mountsOf,
  processesWith,
  startDaemon,
  type DaemonOptions,
  type DaemonProcess,
} from '../support/daemon.ts'
import { writeDeployment } from '../support/deployment.ts'
import { times } from '../support/effort.ts'
import { builtRecipe } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isRoot = process.getuid?.() === 0
// Only root has the ids for namespaces.
const backends = isRoot ? (['proot', 'namespaces'] as const) : (['proot'] as const)
const kills = times({ short: 12, long: 20 })
/** Of the time that a daemon takes here from its start to the end of its job's first attempt. */
const maxDelay = 1.5
const seed = Number(process.env['CAUSEWAY_FUZZ_SEED'] ?? randomInt(2 ** 31))

// It prints its lines, leaves processes that hide from their parents, and ends with a code that it
// has printed. The count outlives restarts: it is in the root, and replaced as a whole, because a kill
// between opening and writing would leave it empty.
const jobOf = (mark: string) => `#!/bin/sh
run=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $run > next; mv next count; echo "run $run"
(setsid sleep ${mark} >/dev/null 2>&1 &)
sh -c 'trap "" TERM HUP; sleep ${mark}' >/dev/null 2>&1 &
i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo "line $i"; sleep 0.02; done
code=$((run % 3 == 0 ? 0 : 10 + run)); echo "exit $code"; exit $code`
const extraJob = `#!/bin/sh
sleep 0.2; echo "exit 7"; exit 7`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let archive: string
beforeAll(async () => {
  folder = await temporaryFolder()
  archive = (await builtRecipe('minimal')).path
})
afterAll(() => folder[Symbol.asyncDispose]())

/** An image that no store has yet. @param own a folder for it and those that follow */
async function freshImage(own: string, name: string) {
  const base = join(own, 'base')
  if (!existsSync(base)) {
    await mkdir(base, { recursive: true })
    execFileSync('tar', ['-xf', archive, '-C', base])
  }
  const path = join(own, `${name}.tar`)
  writeFileSync(join(base, 'filling'), Buffer.alloc(16 << 20, `${name} ${own}`))
  execFileSync('tar', ['-cf', path, '-C', base, '.'])
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
  return { url: pathToFileURL(path).href, sha256 }
}

/** What a client outside has seen of a deployment. */
interface Seen {
  lines: Map<number, string>
  attempts: Map<string, AttemptRecord>
}

async function watch(daemon: DaemonProcess, id: string, seen: Seen): Promise<void> {
  try {
    const since = Math.max(0, ...seen.lines.keys())
    const query = { follow: '1', since: String(since) } as const
    const lines = daemon.client.lines('GET /v1/deployments/:id/logs', { params: { id }, query })
    for await (const entry of lines) {
      seen.lines.set(entry.seq, JSON.stringify(entry))
      if (entry.stream === 'host') takeAttempts(await daemon.inspect(id), seen)
    }
  } catch {
    // The daemon was killed meanwhile.
  }
}

function takeAttempts(detail: DeploymentDetail, seen: Seen): void {
  for (const [key, attempt] of attemptsOf(detail)) {
    if (attempt.exit && !attempt.interrupted) seen.attempts.set(key, attempt)
  }
}

function attemptsOf({ current, history = [] }: DeploymentDetail): Map<string, AttemptRecord> {
  const ended = history.flatMap((past) => (past.kind === 'ended' ? [past] : []))
  const executions = [...(current ? [current] : []), ...ended]
  return new Map(
    executions.flatMap(({ number, attempts }) =>
      attempts.map((attempt) => [`${number}.${attempt.number}`, attempt] as const),
    ),
  )
}

/** Every attempt of the log whose exit is known printed all its lines, in order, and that exit. */
function checkOutput(
  entries: readonly LogEntry[],
  detail: DeploymentDetail,
  expect: ExpectStatic,
): number {
  let complete = 0
  const lines = new Map<string, (string | undefined)[]>()
  for (const { stream, execution, attempt, text } of entries) {
    if (stream !== 'stdout') continue
    const key = `${execution}.${attempt}`
    lines.set(key, [...(lines.get(key) ?? []), text])
  }
  for (const [key, { exit, interrupted }] of attemptsOf(detail)) {
    if (interrupted || exit?.reason !== 'exited') continue
    const expected = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const [, ...printed] = lines.get(key) ?? []
    expect(printed, `attempt ${key}`).toEqual([...expected, `exit ${exit.code}`])
    complete++
  }
  checkRoots(lines, expect)
  return complete
}

/** Attempts of an execution have one root, also those after a kill: each counts on in it. */
function checkRoots(
  lines: ReadonlyMap<string, readonly (string | undefined)[]>,
  expect: ExpectStatic,
): void {
  const last = new Map<string, number>()
  for (const [key, [first]] of lines) {
    const execution = key.split('.')[0]!
    const run = Number(/^run (\d+)$/.exec(first ?? '')?.[1])
    expect(run, `attempt ${key}`).toBeGreaterThan(last.get(execution) ?? 0)
    last.set(execution, run)
  }
  // Most kills hit an execution that then continues.
  expect(Math.max(...last.values())).toBeGreaterThan(2)
}

interface Killed extends DaemonOptions {
  state: string
  /** A word in the command line of everything that the jobs start. */
  mark: string
  /** The test's own: others go on beside it. */
  expect: ExpectStatic
}

/** @returns how many attempts ran to an end of their own */
async function killAtRandom({ state, mark, expect, ...as }: Killed): Promise<number> {
  const random = randomNumbers(seed)
  const parts = `${state}-parts`
  const seen: Seen = { lines: new Map(), attempts: new Map() }
  const pids = new Set<number>()
  const extras: string[] = []
  const main = await writeDeployment(`${state}-main`, {
    image: await freshImage(parts, 'main'),
    files: { 'job.sh': jobOf(mark) },
    deployment: { id: 'main', schedule: { interval: 4000 } },
  })
  const manifest = join(main, '../manifest.json')
  const written = JSON.parse(await readFile(manifest, 'utf8')) as object
  writeFileSync(manifest, JSON.stringify({ ...written, restartPolicy: 'onFailure' }))
  let paceMs = 0
  for (let round = 0; round < kills; round++) {
    const extra = `extra-${round}`
    const file = await writeDeployment(join(parts, extra), {
      image: await freshImage(parts, extra),
      files: { 'job.sh': extraJob },
      deployment: { id: extra },
    })
    const started = performance.now()
    const daemon = startDaemon(state, as)
    pids.add(daemon.pid)
    const deploy = (path: string) => daemon.deploy({ file: path, allowLocalImages: true })
    if (round === 0) await daemon.ready.then(() => deploy(main))
    const life = (async () => {
      await daemon.ready
      const following = watch(daemon, 'main', seen)
      await deploy(file)
      extras.push(extra)
      await following
    })().catch(() => {}) // killed
    if (round === 0) {
      await expect.poll(() => seen.attempts.size, { timeout: 60_000 }).toBeGreaterThan(0)
      paceMs = performance.now() - started
    }
    await pause(random() * maxDelay * paceMs)
    await daemon.kill()
    await life
    await expect.poll(() => processesWith(mark), { timeout: 10_000 }).toEqual([])
    await expect.poll(() => processesWith(state), { timeout: 10_000 }).toEqual([])
    // The kernel frees a loop device a moment after its last mount.
    await expect
      .poll(() => mountsOf(state), { timeout: 10_000, message: `round ${round}` })
      .toEqual([])
  }
  await using daemon = startDaemon(state, as)
  await daemon.ready
  expect([...pids].flatMap(groupsOf)).toEqual([])
  await daemon.client.call('POST /v1/deployments/:id/stop', { params: { id: 'main' } })
  const entries = await daemon.logs('main')
  const bySeq = new Map(entries.map((entry) => [entry.seq, JSON.stringify(entry)]))
  for (const [seq, line] of seen.lines) expect(bySeq.get(seq)).toBe(line)
  expect([...bySeq.keys()]).toEqual(entries.map((_, index) => index + 1))
  const detail = await daemon.inspect('main')
  const attempts = attemptsOf(detail)
  for (const [key, attempt] of seen.attempts) expect(attempts.get(key), key).toEqual(attempt)
  const complete = checkOutput(entries, detail, expect)
  for (const id of extras) {
    const { history } = await daemon.reach(id, 'ended')
    expect(history, id).toMatchObject([{ number: 1, exit: { reason: 'exited', code: 7 } }])
  }
  const all = await daemon.client.call('GET /v1/deployments')
  process.stderr.write(
    `daemon-kill ${state}: seed ${seed}, ${kills} kills within ${Math.round(maxDelay * paceMs)} ms, ${seen.lines.size} lines and ${seen.attempts.size} exits seen, ${complete} attempts complete, ${extras.length} other deployments\n`,
  )
  for (const { name, state: found } of all.deployments) {
    expect(found).not.toBe('damaged')
    await daemon.remove(name)
  }
  expect(await daemon.stop()).toMatchObject({ code: 0 })
  pids.add(daemon.pid)
  expect(readdirSync(join(state, 'deployments'))).toEqual([])
  expect([...pids].flatMap(groupsOf)).toEqual([])
  const left = () => [...processesWith(mark), ...processesWith(state), ...mountsOf(state)]
  await expect.poll(left, { timeout: 10_000 }).toEqual([])
  return complete
}

/** A repeatable series (mulberry32). */
function randomNumbers(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// They wait more than they work.
describe.concurrent('the daemon, killed', () => {
  for (const backend of backends) {
    test(`${kills} times (seed ${seed}), backend ${backend}`, async ({ expect }) => {
      const config = join(folder.path, `${backend}.toml`)
      writeFileSync(config, `[sandbox]\nbackend = "${backend}"\n`)
      const complete = await killAtRandom({
        state: join(folder.path, backend),
        mark: `4999${seed}${backend.length}`,
        expect,
        args: ['--config', config],
      })
      expect(complete).toBeGreaterThan(0)
    }, 600_000)
  }

  test.skipIf(!isRoot)(
    `${kills} times as an ordinary user (seed ${seed}; only root can become another user)`,
    async ({ expect }) => {
      const home = join(folder.path, 'home')
      await mkdir(home)
      const bin = sharedBin()
      execFileSync('chown', ['-R', '65534:65534', home])
      const prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
      const complete = await killAtRandom({
        state: join(home, 'state'),
        mark: `4999${seed}9`,
        expect,
        prefix,
        bin,
      })
      expect(complete).toBeGreaterThan(0)
    },
    600_000,
  )
})
