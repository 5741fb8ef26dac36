/** The escape probe as a job: it reaches nothing of the host, whichever user runs the daemon. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAnswers } from '../escape/answers.ts'
import { createHost, type EscapeHost } from '../escape/host.ts'
import {
  daemonFolder,
  leftovers,
  probe,
  runJob,
  sharedFile,
  startNeighbour,
  type Daemon,
  type Neighbour,
} from '../escape/jobs.ts'
import { compileHostProcess, compileProbe } from '../escape/programs.ts'
import { asUser, isRoot, ordinaryUid, users } from '../escape/users.ts'
import { run } from '../support/causeway.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const mebibyte = 1024 * 1024
const limits = { maxProcesses: 64, maxMemory: 128 * mebibyte, maxStorage: 32 * mebibyte }
const deployment = { memory: limits.maxMemory, storage: limits.maxStorage }

/** Only root can limit memory, and storage to the byte: for others it is counted at intervals. */
const unlimited = ['limits: memory', 'limits: storage in many files']

/** Attempts on what stands between job and host. Some end the job, so each has its own. */
const onTracer = [
  'SIGKILL',
  'SIGSTOP',
  'SIGQUIT',
  'SIGSEGV',
  'SIGKILL to all',
  'no files',
  'no memory',
  'no data',
  'no stack',
  'no time',
  'no file sizes',
  'idle',
  'death of the init',
]

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let bin: string
let image: { url: string; sha256: string }
let program: string
let hostProcess: string

beforeAll(async () => {
  folder = await temporaryFolder()
  bin = sharedBin()
  image = await recipeImage('minimal')
  program = await compileProbe(folder.path)
  hostProcess = await compileHostProcess(folder.path)
})
afterAll(async () => {
  // Node cannot remove folders nested so deeply.
  await run('rm', ['-rf', folder.path])
})

describe('the probe', () => {
  test('reaches most things without a sandbox', async () => {
    const user = { name: 'itself', ...(isRoot && { uid: ordinaryUid }) }
    await using host = await createHost(hostProcess, user)
    const cwd = await daemonFolder(folder.path, user)
    const environment = host.environment({ tree: '/etc/passwd', neighbour: '/etc/passwd' })
    const env = { ...environment, HOST_DAEMON: environment['HOST_PROCESS'] ?? '' }
    const { stdout } = await run(program, [], { ...asUser(user), cwd, env })
    const { all, reached } = parseAnswers(stdout)
    expect(all.length).toBeGreaterThan(250)
    expect(reached.length).toBeGreaterThan(150)
    expect(new Set(reached.map((name) => name.split(':')[0]))).toEqual(
      new Set(
        'paths routes callers changes sockets proc memory clones abi races signals privileges namespaces leftovers shared'.split(
          ' ',
        ),
      ),
    )
  })
})

const places = users.flatMap((user) =>
  (['proot', 'namespaces'] as const).map((backend) => ({ user, backend, name: user.name })),
)

describe.each(places)('as a job of $name under $backend', ({ user, backend }) => {
  let daemon: Daemon
  let neighbour: Neighbour
  let host: EscapeHost

  beforeAll(async () => {
    const own = await daemonFolder(folder.path, user)
    const sandbox = { backend, maxProcesses: limits.maxProcesses }
    daemon = { user, bin, folder: own, image, sandbox }
    host = await createHost(hostProcess, user)
    neighbour = await startNeighbour(daemon)
  })
  afterAll(async () => {
    await neighbour?.end()
    await host?.[Symbol.asyncDispose]()
  })

  const told = () => ({ ...limits, tree: sharedFile(daemon), neighbour: neighbour.file })

  test('it reaches nothing', async () => {
    const before = host.state()
    const shared = await readFile(sharedFile(daemon))
    const result = await probe(daemon, { host, program, told: told() })
    expect(result.finished).toMatchObject({ code: 0, stderr: '' })
    expect(result.all.length).toBeGreaterThan(250)
    expect(result.reached).toEqual([])
    expect(host.state()).toEqual(before)
    expect(host.calls).toEqual([])
    expect(await readFile(sharedFile(daemon))).toEqual(shared)
  }, 180_000)

  test('it exceeds none of its limits', async () => {
    const isRoots = isRoot && user.uid === undefined
    const args = 'limits'
    const result = await probe(daemon, { host, program, told: told(), args, deployment })
    const allowed = isRoots ? [] : unlimited
    const message = isRoots ? /^$/ : /^$|killed: more than its \d+ bytes of storage/
    expect(result.all).toContain('limits: processes')
    expect(result.reached.filter((name) => !allowed.includes(name))).toEqual([])
    expect(result.finished.stderr).toMatch(message)
  })

  test.each(onTracer)('it reaches nothing by %s to its tracer or init', async (attempt) => {
    const before = host.state()
    const args = `tracer '${attempt}'`
    const { finished, reached } = await probe(daemon, { host, program, told: told(), args })
    expect(reached).toEqual([])
    expect(finished.stdout).not.toContain('host secret seen')
    expect(host.state()).toEqual(before)
  })

  test('the other job saw nothing of it, and nothing is left', async () => {
    const { code, stdout } = await neighbour.end()
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'ready\nmine\n' })
    const next = await runJob(daemon, {
      name: 'next',
      files: { 'job.sh': 'grep -c spoiled /etc/passwd' },
    })
    expect(next).toMatchObject({ code: 1, stdout: '0\n' })
    expect(leftovers(daemon)).toEqual([])
  })
})
