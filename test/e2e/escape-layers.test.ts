/**
 * The escape probe with one layer of confinement missing at a time: each of them is what keeps
 * something out of reach, so that a layer which no longer bites is seen.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHost } from '../escape/host.ts'
import { daemonFolder, probe, runJob, sharedFile, type Daemon } from '../escape/jobs.ts'
import {
  initWithoutShield,
  launcherOfAnyUser,
  launcherWithoutBounding,
  weaken,
  type Weakness,
} from '../escape/layers.ts'
import { compileHostProcess, compileProbe } from '../escape/programs.ts'
import { isRoot, users } from '../escape/users.ts'
import { run } from '../support/causeway.ts'
import { copyCheckout } from '../support/copy-checkout.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const mebibyte = 1024 * 1024
const limits = { maxProcesses: 64, maxMemory: 128 * mebibyte, maxStorage: 32 * mebibyte }
const limited = { memory: limits.maxMemory, storage: limits.maxStorage }

const landlock = { '--landlock': 0, '--read': 1, '--execute': 1, '--write': 1 }
const noNamespaces = { namespaces: false, namespacesError: 'left out by a test' }
const backends = ['proot', 'namespaces'] as const
type Backend = (typeof backends)[number]

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let checkout: string
let bin: string
let image: { url: string; sha256: string }
let program: string
let hostProcess: string

beforeAll(async () => {
  folder = await temporaryFolder()
  checkout = join(folder.path, 'checkout')
  await mkdir(checkout)
  bin = copyCheckout(checkout)
  image = await recipeImage('minimal')
  program = await compileProbe(folder.path)
  hostProcess = await compileHostProcess(folder.path)
})
afterAll(() => run('rm', ['-rf', folder.path]))

describe.each(users)('a job of $name', (user) => {
  const isRoots = isRoot && user.uid === undefined
  const daemons = new Map<Backend, Daemon>()

  /** One that has run a job with everything on: the image is unpacked, and not by a weaker launcher. */
  async function newDaemon(backend: Backend): Promise<Daemon> {
    await weaken(checkout, {})
    const sandbox = { backend, maxProcesses: limits.maxProcesses, bundlePath: '/job' }
    const daemon = { user, bin, folder: await daemonFolder(folder.path, user), image, sandbox }
    const first = await runJob(daemon, { name: 'first', files: { 'job.sh': 'exit 0' } })
    expect(first, first.stderr).toMatchObject({ code: 0 })
    return daemon
  }

  /** The same for all tests that leave its image as it was. */
  async function daemonOf(backend: Backend): Promise<Daemon> {
    const daemon = daemons.get(backend) ?? (await newDaemon(backend))
    daemons.set(backend, daemon)
    return daemon
  }

  /** Runs one family of attempts, or a job that can't be started. */
  async function probeWithout(weakness: Weakness, backend: Backend, args: string, own?: Daemon) {
    const daemon = own ?? (await daemonOf(backend))
    await weaken(checkout, weakness)
    await using host = await createHost(hostProcess, user)
    const shared = sharedFile(daemon)
    const told = { ...limits, tree: shared, neighbour: shared }
    return await probe(daemon, { host, program, told, args, deployment: limited })
  }

  test('without namespaces reaches sockets and shared memory of the host', async () => {
    const { reached } = await probeWithout({ probe: noNamespaces }, 'proot', 'sockets')
    expect(reached).toEqual(
      expect.arrayContaining(['sockets: sendto', 'sockets: System V shared memory']),
    )
  })

  test('without namespaces and Landlock reads the host’s files, with Landlock not', async () => {
    const held = await probeWithout({ probe: noNamespaces }, 'proot', 'stack')
    expect(held.all).toContain('stack: path changed')
    expect(held.reached).not.toContain('stack: path changed')
    const free = { probe: noNamespaces, options: landlock }
    expect((await probeWithout(free, 'proot', 'stack')).reached).toContain('stack: path changed')
  })

  test('without a uid of its own may set the kernel', async ({ skip }) => {
    skip(!isRoots, 'only root can give a job another uid')
    const options = { '--uid': 1, '--gid': 1 }
    const launcher = await launcherOfAnyUser(folder.path)
    const { reached } = await probeWithout({ options, launcher }, 'proot', 'devices')
    expect(reached).toContain('devices: core_pattern')
  })

  test('without the filter is not started under PRoot: the canary sees past it', async () => {
    const { finished } = await probeWithout({ options: { '--filter': 1 } }, 'proot', 'paths')
    expect(finished).toMatchObject({ code: 125, stdout: '' })
    expect(finished.stderr).toMatch(/SANDBOX_UNAVAILABLE: canary: .* statx/)
  })

  test('without the filter has every system call in namespaces', async () => {
    const options = { '--filter': 1 }
    const { reached } = await probeWithout({ options }, 'namespaces', 'leftovers')
    expect(reached).toEqual(['leftovers: no system call filter'])
  })

  test.each(backends)(
    'without the shield reaches its init and tracer under %s',
    async (backend) => {
      const guestInit = await initWithoutShield(folder.path)
      const { reached } = await probeWithout({ guestInit }, backend, 'signals')
      expect(reached).toEqual(
        expect.arrayContaining(['signals: kill the parent', 'signals: kill any process']),
      )
    },
  )

  test('without what sets no_new_privs could run setuid programs', async () => {
    const guestInit = await initWithoutShield(folder.path)
    const weakness = { guestInit, options: { ...landlock, '--filter': 1 } }
    const { reached } = await probeWithout(weakness, 'namespaces', 'privileges')
    expect(reached).toContain('privileges: setuid programs')
  })

  test.each(backends)('without the bounding set keeps capabilities under %s', async (backend) => {
    const launcher = await launcherWithoutBounding(folder.path)
    const { reached } = await probeWithout({ launcher }, backend, 'privileges')
    expect(reached).toEqual(['privileges: CAP_SYS_ADMIN in the bounding set'])
  })

  test.for(backends)(
    'without an overlay spoils the image of all under %s',
    async (backend, { skip }) => {
      skip(isRoots, 'there the image is of another user than the job')
      const daemon = await newDaemon(backend)
      await probeWithout({}, backend, 'paths open', daemon)
      expect(await readFile(sharedFile(daemon), 'utf8')).not.toContain('spoiled')
      await probeWithout({ onTree: true }, backend, 'paths open', daemon)
      expect(await readFile(sharedFile(daemon), 'utf8')).toContain('spoiled')
    },
  )

  test('without a control group takes what it wants', async ({ skip }) => {
    skip(!isRoots, 'only root can make control groups')
    const options = { '--cgroup': 1, '--max-processes': 1 }
    const { reached } = await probeWithout({ options }, 'namespaces', 'limits')
    expect(reached).toEqual(expect.arrayContaining(['limits: processes', 'limits: memory']))
  })

  test('without limits of processes forks as it wants', async ({ skip }) => {
    skip(isRoots, 'root has control groups for that')
    const options = { '--max-processes': 1 }
    const { reached } = await probeWithout({ options }, 'namespaces', 'limits')
    expect(reached).toContain('limits: processes')
  })

  test('without limits of storage fills the disk', async () => {
    const options = { '--storage': 1, '--max-file-bytes': 1 }
    const { reached } = await probeWithout({ options }, 'namespaces', 'limits')
    expect(reached).toContain('limits: storage of the root')
  })
})
