/**
 * How jobs end, and what ends them: through `causeway run`, with both backends, as root and as an
 * ordinary user.
 */
import { once } from 'node:events'
import { execFileSync, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCgroups } from '../../runtime/src/cgroup/cgroup.ts'
import { canLimitStorage } from '../../runtime/src/sandbox/storage/storage.ts'
import { causewayBin, start, type Finished } from '../support/causeway.ts'
import { groupsOf, leftAfterSecond, nothing } from '../support/causeway-leftovers.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import { writeDeployment, type DeploymentFiles } from '../support/deployment.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { slowImage } from '../support/slow-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isRoot = process.getuid?.() === 0
const otherUid = 65534
const { controllers } = openCgroups()
const hasStorage = await canLimitStorage(tmpdir())
const mebibyte = 1024 * 1024

const backends = ['proot', 'namespaces'] as const
const users = isRoot ? (['root', 'an ordinary user'] as const) : (['an ordinary user'] as const)
// A chroot does to its users what some hosts do to all.
const chrooted = { who: 'a user who may make no namespaces', backend: 'proot' } as const
const ways = [
  ...users.flatMap((who) => backends.map((backend) => ({ who, backend }))),
  ...(isRoot ? [chrooted] : []),
]
type Way = (typeof ways)[number]

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let images: Record<'minimal' | 'python', { url: string; sha256: string }>
let copiedBin = causewayBin
let counter = 0

beforeAll(async () => {
  folder = await temporaryFolder()
  images = { minimal: await recipeImage('minimal'), python: await recipeImage('python') }
  if (isRoot) copiedBin = sharedBin()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await folder[Symbol.asyncDispose]()
})

interface Job extends Partial<DeploymentFiles> {
  script?: string
  /** Lines of `[sandbox]`. */
  settings?: string
  with?: keyof typeof images
}

/** The command that runs a job, and its state folder. */
async function prepare({ who, backend }: Way, job: Job) {
  const place = join(folder.path, `${ways.findIndex((way) => way.who === who)}-${backend}`)
  const state = join(place, 'state')
  mkdirSync(place, { recursive: true })
  const here = join(place, `job-${++counter}`)
  const { script = '', settings = 'stopGraceMs = 300', with: image = 'minimal', ...spec } = job
  const files = { 'job.sh': script, ...spec.files }
  const file = await writeDeployment(here, { image: images[image], ...spec, files })
  const config = join(here, 'config.toml')
  writeFileSync(config, `[sandbox]\nbackend = "${backend}"\n${settings}\n`)
  const isOther = isRoot && who !== 'root'
  if (isOther) {
    // Not the state with it: concurrent runs change it.
    chownSync(place, otherUid, otherUid)
    execFileSync('chown', ['-R', `${otherUid}:${otherUid}`, here])
  }
  const args = ['run', file, '--state', state, '--config', config, '--allow-local-images']
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: here }
  const user = isOther ? { uid: otherUid, gid: otherUid } : {}
  const plain = [process.execPath, isOther ? copiedBin : causewayBin, ...args]
  if (who === chrooted.who) return { state, command: inChroot(plain), options: { cwd: '/', env } }
  return { state, command: plain, options: { cwd: '/', env, ...user } }
}

/** The same files in a chroot, as a user who cannot make a user namespace there (unshare(2)). */
function inChroot(command: readonly string[]): string[] {
  const root = join(folder.path, 'chroot')
  mkdirSync(root, { recursive: true })
  const script = `mount --rbind / "$0" && exec chroot --userspec=${otherUid}:${otherUid} --groups= "$0" "$@"`
  return ['unshare', '--mount', 'sh', '-c', script, root, ...command]
}

async function runJob(way: Way, job: Job): Promise<Finished> {
  const { command, options } = await prepare(way, job)
  return startCommand(command, options).finished
}

/** Commands of unfinished tests end with the file. */
const children = new Set<ChildProcess>()

function startCommand([program, ...args]: readonly string[], options: SpawnOptions) {
  const started = start(program!, args, options)
  children.add(started.child)
  return started
}

/** Starts a run; resolves when its job has printed its first words. */
async function startJob(way: Way, job: Job) {
  const { command, options, state } = await prepare(way, job)
  const { child, finished } = startCommand(command, options)
  const ended = finished.then(({ stderr }) => Promise.reject(new Error(`ended: ${stderr}`)))
  ended.catch(() => {})
  await Promise.race([once(child.stdout!, 'data'), ended])
  return { child, finished, state }
}

const runsIn = (state: string) => readdirSync(join(state, 'deployments'))

let tokens = 0
/** A number of seconds that no other process sleeps. */
const newToken = () => `8${process.pid}.${Date.now()}${++tokens}`

// These tests wait most of the time.
describe.concurrent.each(ways)('a job of $who, backend $backend, restarts', (way) => {
  const script = (code: string) =>
    `echo run >> /root/count; wc -l < /root/count; setsid sleep 300 & ${code}`
  const policies = [
    { policy: 'onFailure', ends: 'kill -11 $$', runs: 4, code: 139 },
    { policy: 'onFailure', ends: 'exit $(($(wc -l < /root/count) < 2))', runs: 2, code: 0 },
    { policy: 'onFailure', ends: 'exit 7', runs: 4, code: 7 },
    { policy: 'onFailure', ends: 'exit 0', runs: 1, code: 0 },
    { policy: 'always', ends: 'exit 0', runs: 4, code: 0 },
    { policy: 'no', ends: 'exit 7', runs: 1, code: 7 },
  ]
  // The policy is the same code for all; what starts again is not.
  test.for(way === ways[0] ? policies : policies.slice(0, 2))(
    '$policy, $ends: it runs $runs times, in the same root',
    async (row, { expect: expectIn }) => {
      const manifest = { restartPolicy: row.policy }
      const end = await runJob(way, { script: script(row.ends), manifest })
      expectIn(end.code, end.stderr).toBe(row.code)
      expectIn(end.stdout.trim().split(/\s+/)).toEqual(
        Array.from({ length: row.runs }, (_, index) => `${index + 1}`),
      )
      expectIn(end.stderr.match(/attempt \d follows in/g)?.length ?? 0).toBe(row.runs - 1)
    },
  )
})

describe.concurrent.each(ways)(
  'when the time of a job of $who, backend $backend, is over',
  (way) => {
    const deployment = { schedule: { duration: 4000 } }

    test('it gets a signal to end, and its last output is kept', async ({ expect: expectIn }) => {
      const script = "trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.05; done"
      const end = await runJob(way, { script, deployment, settings: '' })
      expectIn(end).toMatchObject({ code: 124, stdout: 'ready\nbye\n' })
      expectIn(end.stderr).toContain('timeout: the deadline has passed')
    })

    test('ended before it runs, it never runs', async ({ expect: expectIn }) => {
      using slow = await slowImage()
      const end = await runJob(way, { ...slow, deployment: { schedule: { duration: 1500 } } })
      expectIn(end).toMatchObject({ code: 124, stdout: '' })
      expectIn(end.stderr).toContain('timeout: the deadline has passed')
    })

    test('a job that ignores the signal is killed, and does not restart', async ({
      expect: expectIn,
    }) => {
      const script = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
      const manifest = { restartPolicy: 'always' }
      const end = await runJob(way, { script, deployment, manifest })
      expectIn(end).toMatchObject({ code: 124, stdout: 'ready\n' })
    })
  },
)

describe.each(ways)('a job of $who, backend $backend', (way) => {
  const isOfRoot = way.who === 'root'

  describe('ends with', () => {
    const ends = [
      { name: 'its code 3', script: 'exit 3', code: 3 },
      { name: 'SIGKILL', script: 'kill -9 $$', code: 137, says: 'ended by signal SIGKILL' },
      { name: 'a missing command', script: '/bin/missing', code: 127 },
      {
        name: 'its own code, whatever processes it leaves',
        script: '(trap "" TERM HUP; setsid sleep 300) & sleep 300 & (sleep 0.1; exit 7) & exit 5',
        code: 5,
      },
      { name: 'its code 0', script: 'exit 0', code: 0 },
      { name: 'SIGSEGV', script: 'kill -11 $$', code: 139, says: 'ended by signal SIGSEGV' },
      { name: 'SIGTERM', script: 'kill -15 $$', code: 143, says: 'ended by signal SIGTERM' },
      {
        name: 'a missing interpreter',
        script: '#!/bin/missing\n',
        code: 125,
        says: 'start-failed: /root/job/job.sh: no such file or directory (ENOENT); is its interpreter in the image?',
      },
    ]
    // All of them as root; of the others those in which another process tells what happened.
    test.for(isOfRoot ? ends : ends.slice(0, 4))('$name', async ({ script, code, says = '' }) => {
      const end = await runJob(way, { script })
      expect(end).toMatchObject({ code, signal: null })
      expect(end.stderr).toContain(says)
    })
  })

  describe('cannot exceed', () => {
    test('its memory', async ({ skip }) => {
      skip(!isOfRoot || !controllers.has('memory'), 'no memory control group')
      const script = 'echo ready; exec dd if=/dev/zero of=/dev/null bs=300M count=1'
      const end = await runJob(way, { script, deployment: { memory: 64 * mebibyte } })
      expect(end).toMatchObject({ code: 137, stdout: 'ready\n' })
      expect(end.stderr).toContain(`oom: more than its ${64 * mebibyte} bytes of memory`)
    })

    test('its memory, and continues if it survives that', async ({ skip }) => {
      skip(!isOfRoot || !controllers.has('memory'), 'no memory control group')
      const script = 'dd if=/dev/zero of=/dev/null bs=300M count=1; echo "then $?"; exit 4'
      const end = await runJob(way, { script, deployment: { memory: 64 * mebibyte } })
      expect(end).toMatchObject({ code: 4, stdout: 'then 137\n' })
    })

    test('its processes: a fork bomb ends with it', async () => {
      const token = newToken()
      const script = `echo begun; bomb() { sleep ${token} & bomb | bomb & }; bomb; sleep 1; echo survived; exit 6`
      const { child, finished, state } = await startJob(way, {
        script,
        settings: 'maxProcesses = 40',
      })
      const end = await finished
      // It may be its shell that cannot fork.
      expect([2, 6]).toContain(end.code)
      expect(end.stderr).toMatch(/can't fork/)
      expect(await leftAfterSecond(runningIn(state), token, child.pid!)).toEqual(nothing)
    })

    const most = `${16 * mebibyte} bytes of storage`
    const isHard = isOfRoot && hasStorage

    test.for([
      { whose: 'its own', job: { deployment: { storage: 16 * mebibyte } } },
      { whose: "the operator's", job: { settings: `storageBytes = ${16 * mebibyte}` } },
    ])('$whose storage, when it is a file system of that size', async ({ job }, { skip }) => {
      skip(!isHard, 'needs root and loop devices')
      const script = 'dd if=/dev/zero of=/root/big bs=1M count=64; echo $?; wc -c < /root/big'
      const end = await runJob(way, { script, ...job })
      expect(end.stderr).toContain('No space left on device')
      const [code, size] = end.stdout.split(/\s+/).map(Number)
      expect(code).toBe(1)
      expect(size).toBeGreaterThan(4 * mebibyte)
      expect(size).toBeLessThan(16 * mebibyte)
    })

    test.for([
      { whose: 'its own', job: { deployment: { storage: 16 * mebibyte } } },
      { whose: "the operator's", job: { settings: `storageBytes = ${16 * mebibyte}` } },
    ])('$whose storage, when it is counted', async ({ job }, { skip }) => {
      skip(isHard, 'a file system of that size enforces it')
      const script =
        'for n in 1 2; do dd if=/dev/zero of=/root/$n bs=1M count=12; done; echo full; sleep 30'
      const end = await runJob(way, { script, ...job })
      expect(end).toMatchObject({ code: 137 })
      expect(end.stderr).toContain(`killed: more than its ${most}`)
    })

    test('its storage in a single file, which the kernel enforces', async ({ skip }) => {
      skip(isHard, 'a file system of that size is full first')
      // The file has a hole, so that the counter of blocks does not end the job first.
      const script =
        'dd if=/dev/zero of=/root/big bs=1M seek=14 count=32; echo $?; wc -c < /root/big'
      const end = await runJob(way, { script, settings: `storageBytes = ${16 * mebibyte}` })
      // SIGXFSZ
      expect(end.stdout).toBe(`153\n${16 * mebibyte}\n`)
    })
  })

  describe('stopped', () => {
    const patient = "trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.05; done"

    test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('by %s ends itself', async (signal) => {
      const { child, finished, state } = await startJob(way, { script: patient, settings: '' })
      child.kill(signal)
      const end = await finished
      expect(end, end.stderr).toMatchObject({ code: 9, stdout: 'ready\nbye\n' })
      expect(runsIn(state)).toEqual([])
    })

    test('by a second signal loses its grace period, and leaves nothing', async () => {
      const token = newToken()
      const script = `trap 'echo told' TERM; echo ready; while :; do sleep 0.05 || sleep ${token}; done`
      const settings = 'stopGraceMs = 600000'
      const { child, finished, state } = await startJob(way, { script, settings })
      const told = once(child.stdout!, 'data')
      child.kill('SIGINT')
      await told
      child.kill('SIGTERM')
      const end = await finished
      expect(end, end.stderr).toMatchObject({ code: 137, stdout: 'ready\ntold\n' })
      expect(await leftAfterSecond(runningIn(state), token, child.pid!)).toEqual(nothing)
      expect(runsIn(state)).toEqual([])
      expect(groupsOf(child.pid!)).toEqual([])
    })

    test('by the death of its daemon leaves nothing after a second, and the next run cleans up', async () => {
      const token = newToken()
      const script = `(trap '' TERM HUP; setsid sleep ${token}) & echo ready; sleep ${token}; true`
      const deployment = isOfRoot && hasStorage ? { storage: 16 * mebibyte } : {}
      const { child, finished, state } = await startJob(way, { script, deployment })
      child.kill('SIGKILL')
      await finished
      expect(await leftAfterSecond(runningIn(state), token, child.pid!)).toEqual(nothing)
      expect(runsIn(state)).toHaveLength(1)
      expect(await runJob(way, { script: 'exit 3' })).toMatchObject({ code: 3 })
      expect(runsIn(state)).toEqual([])
      expect(groupsOf(child.pid!)).toEqual([])
    })
  })

  describe('has', () => {
    const python = (lines: string, job: Job = {}) =>
      runJob(way, {
        with: 'python',
        entrypoint: 'job.py',
        files: { 'job.py': `#!/usr/bin/env python3\n${lines}` },
        ...job,
      })

    test('outputs that it can open by name', async () => {
      const script = 'echo out > /dev/stdout; echo err > /dev/stderr; echo fd > /dev/fd/1'
      const end = await runJob(way, { script })
      expect(end).toMatchObject({ code: 0, stdout: 'out\nfd\n' })
      expect(end.stderr).toMatch(/^err$/m)
    })

    test('shared memory and locks', async () => {
      const end = await python(`
import multiprocessing, os
def work(lock, queue):
    with lock: queue.put(os.getpid() != os.getppid())
if __name__ == "__main__":
    lock, queue = multiprocessing.Lock(), multiprocessing.Queue()
    child = multiprocessing.Process(target=work, args=(lock, queue))
    child.start(); print(queue.get()); child.join()
`)
      expect(end, end.stderr).toMatchObject({ code: 0, stdout: 'True\n' })
    })

    test('its own terminals', async ({ skip }) => {
      skip(way.who === chrooted.who, 'only the host has them, and the job does not get those')
      const end = await python(`
import os
master, slave = os.openpty()
os.write(slave, b"typed"); print(os.read(master, 5).decode(), os.ttyname(slave).startswith("/dev/pts/"))
`)
      expect(end, end.stderr).toMatchObject({ code: 0, stdout: 'typed True\n' })
    })

    test('only loopback through getifaddrs when the deployment asks for it', async () => {
      const lines = `
import ctypes
class Ifaddrs(ctypes.Structure): pass
Ifaddrs._fields_ = [("next", ctypes.POINTER(Ifaddrs)), ("name", ctypes.c_char_p), ("flags", ctypes.c_uint)]
first = ctypes.POINTER(Ifaddrs)()
assert ctypes.CDLL(None).getifaddrs(ctypes.byref(first)) == 0
while first: print(first[0].name.decode(), hex(first[0].flags)); first = first[0].next`
      const end = await python(lines, { deployment: { interfaces: 'loopback' } })
      expect(end.stdout).toBe('lo 0x49\n')
    })

    test('its bridge, under other ids of its own, too', async ({ skip }) => {
      skip(!isOfRoot || way.backend !== 'namespaces', 'has one id only')
      const end = await python(`
import os, socket
def version():
    s = socket.socket(socket.AF_UNIX)
    s.connect("\\0" + os.environ["BRIDGE_SOCKET"])
    s.sendall(b'{"jsonrpc":"2.0","id":1,"method":"processor_version","params":[]}\\n')
    return "1.27.0" in s.makefile().readline()
print(os.getuid(), version())
os.setgroups([]); os.setresgid(1000, 1000, 1000); os.setresuid(65534, 65534, 65534)
print(os.getuid(), version())`)
      expect(end).toMatchObject({ code: 0, stdout: '0 True\n65534 True\n' })
    })
  })
})

/** The folders of runs: a path in the command lines and mounts of their launchers. */
const runningIn = (state: string) => join(state, 'deployments')
