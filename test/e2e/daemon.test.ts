/** `causeway daemon` with real jobs, and its commands. */
import { execFileSync } from 'node:child_process'
import { createECDH } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeploymentDetail } from '../../runtime/src/supervisor/summary.ts'
import { childrenOf } from '../../runtime/src/sandbox/launcher/process-tree.ts'
import { causeway, run, start, type Finished } from '../support/causeway.ts'
import { groupsOf, leftAfterSecond, leftovers, nothing } from '../support/causeway-leftovers.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import {
  mountsOf,
  processesWith,
  readyDaemon,
  startDaemon,
  type DaemonProcess,
} from '../support/daemon.ts'
import { writeDeployment, type DeploymentFiles } from '../support/deployment.ts'
import { grouped, times } from '../support/effort.ts'
import { killIfThere } from '../support/kill-if-there.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { slowImage, type SlowImage } from '../support/slow-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isRoot = process.getuid?.() === 0
const until = { timeout: 30_000 }
/** A word in the command lines of processes that must not outlive their jobs. */
const mark = `4998${process.pid}`
const forever = `echo ready; while :; do sleep ${mark}; done`

const floodMb = times({ short: 200, long: 1000 })

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let image: { url: string; sha256: string }
let state: string
let daemon: DaemonProcess

beforeAll(async () => {
  image = await recipeImage('minimal')
  folder = await temporaryFolder()
  state = join(folder.path, 'state')
  daemon = await readyDaemon(state, { args: ['--allow-local-images'] })
})
afterAll(async () => {
  await daemon.stop()
  await folder[Symbol.asyncDispose]()
})

interface Spec extends Partial<DeploymentFiles> {
  restartPolicy?: string
  deployment?: object
}

/** Writes a deployment whose job is a shell script. */
async function write(id: string, script: string, spec: Spec = {}): Promise<string> {
  const { restartPolicy = 'no', deployment, ...files } = spec
  return writeDeployment(join(folder.path, 'files', id), {
    image,
    manifest: { restartPolicy },
    ...files,
    files: { 'job.sh': script, ...files.files },
    deployment: { id, ...deployment },
  })
}

const command = (...args: string[]): Promise<Finished> => causeway([...args, '--state', state])

async function deploy(id: string, script: string, spec?: Spec): Promise<DeploymentDetail> {
  const file = await write(id, script, spec)
  return daemon.deploy({ file })
}

const remove = (id: string) => daemon.remove(id)
const folderOf = (name: string) => join(state, 'deployments', name)

describe('the commands', () => {
  test('deploy, ps, logs, inspect, stop, start, rm', async () => {
    const environment = { TOKEN: 'hush-hush' }
    const file = await write('cli', `echo "to stdout"; echo "to stderr" >&2; ${forever}`, {
      deployment: { environment },
    })
    const deployed = await command('deploy', file, '--wait')
    expect(deployed, deployed.stderr).toMatchObject({ code: 0 })
    expect(deployed.stdout).toMatch(/^✓ deployment cli: name [0-9a-f]{32}\n$/)
    rmSync(join(file, '..'), { recursive: true })
    const again = await command('deploy', await write('cli', 'exit 0'))
    expect(again).toMatchObject({ code: 125 })
    expect(again.stderr).toContain('DEPLOYMENT_EXISTS')

    const listed = await command('ps')
    expect(listed.stdout).toMatch(/^NAME +ID +STATE.*\n[0-9a-f]{12} +cli +running +1\n$/)
    expect(JSON.parse((await command('ps', '--json')).stdout)).toMatchObject([{ id: 'cli' }])
    await expect.poll(async () => (await command('logs', 'cli')).stdout, until).toContain('ready')
    const logs = await command('logs', 'cli')
    expect(logs.stdout).toBe('to stdout\nready\n')
    expect(logs.stderr).toMatch(/causeway \S+ job started: uid \d+, /)
    expect(logs.stderr).toContain('\nto stderr\n')
    const stderrOnly = await command('logs', 'cli', '--stream', 'stderr', '--json', '--tail', '1')
    expect(JSON.parse(stderrOnly.stdout)).toMatchObject({ text: 'to stderr', attempt: 1 })

    const inspected = await command('inspect', 'cli')
    expect(inspected.stdout).toMatch(/^environment +TOKEN$/m)
    expect(inspected.stdout).toMatch(/^socket +causeway-[0-9a-f]{32}$/m)
    const json = (await command('inspect', 'cli', '--json')).stdout
    expect(JSON.parse(json)).toMatchObject({ current: { number: 1, uid: expect.any(Number) } })
    const keys = await command('keys', 'show', 'cli', '--json')
    expect(JSON.parse(keys.stdout), keys.stderr).toMatchObject({ deployment: 'cli', file })
    const audit = await command('audit', 'verify', deployed.stdout.slice(-33).trim())
    expect(audit, audit.stderr).toMatchObject({ code: 0 })
    expect((await command('audit', 'show', 'cl')).stderr).toContain('nor is it a deployment file')
    expect(inspected.stdout + json + logs.stdout + logs.stderr).not.toContain('hush-hush')

    expect((await command('stop', 'cli', '--grace', '0')).stdout).toBe(
      '✓ deployment cli: stopped\n',
    )
    expect(processesWith(mark)).toEqual([])
    expect((await command('ps')).stdout.split('\n')).toHaveLength(2)
    expect((await command('ps', '--all')).stdout).toContain('cli')
    await command('start', 'cli')
    await daemon.reach('cli', 'running')
    expect((await command('rm', 'cli')).stderr).toContain('DEPLOYMENT_BUSY')
    expect((await command('rm', 'cli', '--force')).code).toBe(0)
    expect((await command('inspect', 'cli')).stderr).toContain('DEPLOYMENT_UNKNOWN')
    expect(processesWith(mark)).toEqual([])
  })

  test('say what to do when there is no daemon', async () => {
    const nowhere = join(folder.path, 'nowhere')
    for (const args of [['ps'], ['logs', 'x', '-f'], ['stop', 'x']]) {
      const result = await causeway([...args, '--state', nowhere])
      expect(result.code).toBe(125)
      expect(result.stderr).toContain(join(nowhere, 'control.sock'))
      expect(result.stderr).toContain(`start one: causeway daemon --state ${nowhere}`)
    }
    expect(existsSync(nowhere)).toBe(false)
  })

  test('deploy --wait reports that a job could not be started', async () => {
    const file = await write('broken', 'exit 0', { image: { ...image, sha256: '1'.repeat(64) } })
    const result = await command('deploy', file, '--wait')
    expect(result.code).toBe(125)
    expect(result.stderr).toContain('IMAGE_DIGEST_MISMATCH')
    await remove('broken')
  })

  test('a deployment waits for an image that no flag allows, also through a restart', async () => {
    const other = join(folder.path, 'strict')
    const file = await write('strict', 'exit 0')
    {
      await using strict = await readyDaemon(other)
      const deployed = await causeway(['deploy', file, '--wait', '--state', other])
      expect(deployed.code).toBe(125)
      expect(deployed.stderr).toMatch(
        /start-failed: IMAGE_URL_REFUSED: .*; the daemon tries it again/,
      )
      expect(await strict.inspect('strict')).toMatchObject({
        state: 'preparing',
        waiting: expect.stringContaining('IMAGE_URL_REFUSED') as string,
      })
      expect(await strict.stop()).toMatchObject({ code: 0 })
    }
    await using next = await readyDaemon(other)
    await next.reach('strict', 'preparing')
    await next.deploy({ file: await write('allowed', 'exit 0'), allowLocalImages: true })
    // What the host has by then needs no permission.
    for (const id of ['allowed', 'strict'])
      expect((await next.reach(id, 'ended')).exit).toEqual({ reason: 'exited', code: 0 })
    expect(await next.stop()).toMatchObject({ code: 0 })
  })
})

describe('a job', () => {
  test('restarts in its root; logs -f continues meanwhile, and ends with it', async () => {
    const script = `n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count; echo run $n; [ $n = 3 ]`
    await deploy('again', script, { restartPolicy: 'onFailure' })
    const followed = await command('logs', 'again', '-f')
    expect(followed.stdout).toBe('run 1\nrun 2\nrun 3\n')
    const { history } = await daemon.inspect('again')
    expect(history).toMatchObject([{ restarts: 2, exit: { reason: 'exited', code: 0 } }])
    await remove('again')
  })

  test('has a new root in every execution, but the same keys', async () => {
    const schedule = { interval: 1500 }
    await deploy('fresh', 'ls | wc -l; touch stays', { deployment: { schedule } })
    await expect
      .poll(async () => (await daemon.inspect('fresh')).history?.length ?? 0, until)
      .toBeGreaterThan(2)
    await command('stop', 'fresh')
    const lines = (await daemon.logs('fresh', { stream: ['stdout'] })).map(({ text }) =>
      text?.trim(),
    )
    expect(new Set(lines)).toEqual(new Set(['2']))
    await remove('fresh')
  })

  test('is ended when its time is over', async () => {
    await deploy('late', forever, { deployment: { schedule: { duration: 1500 } } })
    const { exit } = await daemon.reach('late', 'ended')
    expect(exit).toMatchObject({ reason: 'timeout' })
    expect(processesWith(mark)).toEqual([])
    await remove('late')
  })

  test('is ended when its time is over before it runs', async () => {
    using slow = await slowImage()
    const deployment = { schedule: { duration: 1500 } }
    const { name } = await deploy('never', 'exit 0', { image: slow.image, deployment })
    const { exit, history } = await daemon.reach('never', 'ended')
    expect(exit).toEqual({ reason: 'timeout', detail: 'the deadline has passed' })
    expect(history).toMatchObject([{ attempts: [] }])
    await expect.poll(() => readdirSync(join(folderOf(name), 'executions'))).toEqual([])
    await remove('never')
  })

  test('signs with the keys of its deployment, whose file is not needed afterwards', async () => {
    const keys = join(folder.path, 'keys.json')
    await writeFile(keys, JSON.stringify({ signing: { p256: '11'.repeat(32) } }), { mode: 0o600 })
    const job = `#!/usr/bin/env python3
import json, os, socket
bridge = socket.socket(socket.AF_UNIX); bridge.connect("\\0" + os.environ["BRIDGE_SOCKET"])
bridge.sendall(b'{"jsonrpc":"2.0","method":"deployment_publicKeys","params":[],"id":"1"}\\n')
print(json.loads(bridge.makefile().readline())["result"]["publicKeys"]["p256"])`
    const file = await write('keys', '', {
      image: await recipeImage('python'),
      files: { 'job.sh': job },
      deployment: { keys },
    })
    await daemon.deploy({ file })
    rmSync(keys)
    await daemon.reach('keys', 'ended')
    const reference = createECDH('prime256v1')
    reference.setPrivateKey('11'.repeat(32), 'hex')
    const expected = reference.getPublicKey('hex', 'compressed')
    const printed = async () =>
      (await daemon.logs('keys', { stream: ['stdout'] })).map(({ text }) => text)
    expect(await printed()).toEqual([expected])
    await daemon.client.call('POST /v1/deployments/:id/start', { params: { id: 'keys' } })
    await expect.poll(printed, until).toEqual([expected, expected])
    const sealed = join(state, 'keys')
    expect(readdirSync(sealed)).toHaveLength(1)
    await daemon.reach('keys', 'ended')
    await daemon.client.call('DELETE /v1/deployments/:id', { params: { id: 'keys' } })
    expect(readdirSync(sealed)).toHaveLength(1)
    await writeFile(keys, JSON.stringify({ signing: { p256: '11'.repeat(32) } }), { mode: 0o600 })
    await daemon.deploy({ file })
    await daemon.remove('keys', { keys: true })
    expect(readdirSync(sealed)).toEqual([])
  })

  test(`that prints ${grouped(floodMb)} MB uses up neither memory nor disk, and delays no other`, async () => {
    const block = `line=$(printf '%0999d' 0)
i=0; while [ $i -lt 1000 ]; do echo $line; i=$((i+1)); done > block
i=0; while [ $i -lt 20 ]; do cat block block block block block; i=$((i+1)); done > big
i=0; while [ $i -lt ${floodMb / 100} ]; do cat big; i=$((i+1)); done; echo done`
    const { name } = await deploy('flood', block)
    await daemon.reach('flood', 'running', 'ended')
    await deploy('beside', 'echo beside')
    expect((await daemon.reach('beside', 'ended')).exit).toEqual({ reason: 'exited', code: 0 })
    const { exit } = await daemon.reach('flood', 'ended')
    expect(exit).toEqual({ reason: 'exited', code: 0 })
    const [last] = await daemon.logs('flood', { tail: '1', stream: ['stdout'] })
    expect(last).toMatchObject({ text: 'done' })
    expect(last!.seq).toBeGreaterThan(floodMb * 1000)
    const logs = join(folderOf(name), 'logs')
    const bytes = readdirSync(logs).map((file) => statSync(join(logs, file)).size)
    expect(Math.max(...bytes)).toBeLessThanOrEqual(10 * 1024 * 1024)
    expect(bytes.length).toBeLessThanOrEqual(5)
    const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8')
    const peakKilobytes = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1])
    process.stderr.write(`daemon: peak memory ${Math.round(peakKilobytes / 1024)} MB\n`)
    expect(peakKilobytes).toBeLessThan(250_000)
    await remove('flood')
    await remove('beside')
  }, 300_000)

  test('may be one of 50 at once', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `many-${index}`)
    await Promise.all(ids.map((id, index) => deploy(id, `echo ${id}; exit ${index}`)))
    for (const [index, id] of ids.entries()) {
      const { exit } = await daemon.reach(id, 'ended')
      expect(exit, id).toEqual({ reason: 'exited', code: index })
      expect((await daemon.logs(id, { stream: ['stdout'] })).map(({ text }) => text)).toEqual([id])
      await remove(id)
    }
    const left = await daemon.client.call('GET /v1/deployments')
    expect(readdirSync(join(state, 'deployments'))).toHaveLength(left.deployments.length)
  }, 300_000)
})

describe('stopped or removed while it is being prepared', () => {
  /** Resolves during the download of the image of `slowImage`. */
  async function downloading(id: string, { image: slow }: SlowImage) {
    const { name } = await deploy(id, 'exit 0', { image: slow })
    const progress = async () => (await daemon.inspect(id)).current?.progress
    await expect.poll(progress, until).toBe('download')
    return folderOf(name)
  }

  test('stop during the download', async () => {
    using slow = await slowImage()
    const own = await downloading('slow-stop', slow)
    expect((await command('stop', 'slow-stop')).code).toBe(0)
    const detail = await daemon.inspect('slow-stop')
    expect(detail).toMatchObject({ state: 'stopped', exit: { reason: 'killed' } })
    await expect.poll(() => readdirSync(join(own, 'executions'))).toEqual([])
    await remove('slow-stop')
  })

  test('rm during the download', async () => {
    using slow = await slowImage()
    const own = await downloading('slow-rm', slow)
    expect((await command('rm', 'slow-rm', '--force')).code).toBe(0)
    expect(existsSync(own)).toBe(false)
  })

  test('rm during unpacking', async () => {
    const { name } = await deploy('unpacked', forever, { image: await recipeImage('python') })
    await pause(30)
    expect((await command('rm', 'unpacked', '--force')).code).toBe(0)
    expect(existsSync(folderOf(name))).toBe(false)
    expect(processesWith(mark)).toEqual([])
  })
})

describe('the daemon', () => {
  test('runs once per state folder', async () => {
    const second = await startDaemon(state).finished
    expect(second).toMatchObject({ code: 125, stdout: '' })
    expect(second.stderr).toContain(`DAEMON_RUNNING: ${state}: another daemon`)
    expect((await command('ps')).code).toBe(0)
  })

  test('does not start on the record of a newer version, and touches nothing', async () => {
    const other = join(folder.path, 'newer')
    const own = join(other, 'deployments', 'ab'.repeat(16))
    // What a start would remove: a draft, and folders of a record that it reads.
    const draft = join(other, 'deployments', 'new-00')
    for (const path of [own, draft]) await mkdir(path, { recursive: true, mode: 0o711 })
    await writeFile(join(own, 'record.json'), '{"format":2,"id":"2001"}')
    await using refused = startDaemon(other)
    const { code, stdout, stderr } = await refused.finished
    expect([code, stdout]).toEqual([125, ''])
    expect(stderr).toMatch(
      /^causeway: STATE_NEWER: \S+record\.json: expected a record of format 1, .* found format 2 .*nothing was changed\n$/,
    )
    expect(readdirSync(join(other, 'deployments')).sort()).toEqual(['ab'.repeat(16), 'new-00'])
    expect(existsSync(join(other, 'causeway-root-secret'))).toBe(false)
  })

  test('ends its jobs orderly, and continues them after a restart', async () => {
    const other = join(folder.path, 'orderly')
    const script = `n=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $n > count
trap 'echo bye; exit 9' TERM; echo run $n; while :; do sleep 0.1; done`
    const file = await write('orderly', script)
    {
      await using first = await readyDaemon(other, { args: ['--allow-local-images'] })
      await first.deploy({ file })
      await expect.poll(() => first.logs('orderly', { stream: ['stdout'] }), until).toHaveLength(1)
      const following = first.client.lines('GET /v1/deployments/:id/logs', {
        params: { id: 'orderly' },
        query: { stream: ['stdout'], follow: '1' },
      })
      expect((await following.next()).value).toMatchObject({ text: 'run 1' })
      const [end, said] = await Promise.all([first.stop(), following.next()])
      expect(end).toMatchObject({ code: 0, signal: null })
      expect(said.value).toMatchObject({ text: 'bye' })
      expect(await following.next()).toEqual({ done: true, value: undefined })
    }
    // It has the image, whose URL it could not open.
    await using second = await readyDaemon(other)
    await expect.poll(() => second.logs('orderly', { stream: ['stdout'] }), until).toHaveLength(3)
    expect(await second.inspect('orderly')).toMatchObject({
      current: {
        number: 1,
        restarts: 0,
        attempts: [
          { number: 1, interrupted: true, exit: { reason: 'exited', code: 9 } },
          { number: 2 },
        ],
      },
    })
    const texts = (await second.logs('orderly', { stream: ['stdout'] })).map(({ text }) => text)
    expect(texts).toEqual(['run 1', 'bye', 'run 2'])
    // An ordinary user could not remove by hand what an overlay leaves in it.
    await second.remove('orderly')
    await second.stop()
  })

  test('reads its settings again at SIGHUP, and goes on', async () => {
    const own = join(folder.path, 'hangup')
    const config = join(folder.path, 'hangup.toml')
    await writeFile(config, '')
    await using started = await readyDaemon(own, { args: ['--config', config] })
    let said = ''
    started.child.stderr!.on('data', (text: string) => (said += text))
    const hangUp = async (text: string) => {
      said = ''
      await writeFile(config, text)
      started.child.kill('SIGHUP')
      await expect.poll(() => said, until).toContain('SIGHUP')
      return JSON.parse(said.trimEnd().split('\n').at(-1)!) as object
    }
    const changed =
      '[log]\nlevel = "info"\n[sandbox]\nbundlePath = "/job"\nmemoryBytes = 1000000000\n'
    const lists = { taken: ['log.level', 'sandbox.memoryBytes'], left: ['sandbox.bundlePath'] }
    expect(await hangUp(changed)).toMatchObject({ level: 40, ...lists })
    const refused = started.client.call('POST /v1/deployments', { body: { file: '/nothing' } })
    await expect(refused).rejects.toThrow('INPUT_UNREADABLE')
    expect(said).toContain('"command refused"')
    expect(await hangUp('[log]\nlevel = "loud"\n')).toMatchObject({
      level: 50,
      reason: expect.stringContaining(`${config}:2:1: log.level: expected one of`) as string,
    })
    expect(await started.stop()).toMatchObject({ code: 0 })
  })

  /** A daemon with a job that ignores signals and has a long grace period. */
  async function stubborn(name: string, stopGraceMs = 600_000) {
    const own = join(folder.path, name)
    const config = join(folder.path, `${name}.toml`)
    await writeFile(config, `[sandbox]\nstopGraceMs = ${stopGraceMs}\n`)
    const started = await readyDaemon(own, { args: ['--allow-local-images', '--config', config] })
    let said = ''
    started.child.stderr!.on('data', (text: string) => (said += text))
    const file = await write(name, `trap '' TERM; ${forever}`)
    await started.deploy({ file })
    await expect.poll(() => started.logs(name, { stream: ['stdout'] }), until).toHaveLength(1)
    const signal = async (answer: string) => {
      started.child.kill('SIGTERM')
      await expect.poll(() => said, until).toContain(answer)
    }
    return { own, started, signal }
  }

  /** Stops the execution that the next daemon continues. */
  async function continuedThenStopped(own: string, id: string) {
    await using next = await readyDaemon(own, { args: ['--allow-local-images'] })
    const { current } = await next.reach(id, 'running')
    await next.client.call('POST /v1/deployments/:id/stop', {
      params: { id },
      body: { graceMs: 0 },
    })
    await next.stop()
    return current
  }

  test('signalled twice ends its jobs at once, orderly, and continues them', async () => {
    const { own, started, signal } = await stubborn('twice')
    await using first = started
    await signal('a second signal ends them at once')
    await signal('a third signal')
    expect(await first.finished).toMatchObject({ code: 0, signal: null })
    expect(leftovers(own, mark, first.pid)).toEqual(nothing)
    expect(groupsOf(first.pid)).toEqual([])
    expect(await continuedThenStopped(own, 'twice')).toMatchObject({
      attempts: [{ interrupted: true, exit: { reason: 'killed' } }, { number: 2 }],
    })
  })

  test('signalled once does not wait for the long grace period of a stop', async () => {
    const { own, started, signal } = await stubborn('granted', 100)
    await using first = started
    const stopped = first.client.call('POST /v1/deployments/:id/stop', {
      params: { id: 'granted' },
      body: { graceMs: 600_000 },
    })
    await expect.poll(async () => (await first.inspect('granted')).state, until).toBe('stopping')
    await signal('a second signal ends them at once')
    expect(await first.finished).toMatchObject({ code: 0, signal: null })
    expect(await stopped).toMatchObject({ state: 'stopped', history: [{ attempts: [{}] }] })
    expect(leftovers(own, mark, first.pid)).toEqual(nothing)
  })

  test.for([
    { times: 2, ends: { code: 125, signal: null } },
    { times: 3, ends: { code: null, signal: 'SIGTERM' } },
  ])('signalled $times times ends itself, whatever hangs', async ({ times, ends }) => {
    const { own, started, signal } = await stubborn(`hanging-${times}`)
    await using hanging = started
    // Stop the processes that would end the job.
    const launchers = childrenOf(hanging.pid)
    expect(launchers.length).toBeGreaterThan(0)
    for (const pid of launchers) process.kill(pid, 'SIGSTOP')
    await signal('a second signal ends them at once')
    await signal('a third signal')
    if (times === 3) hanging.child.kill('SIGTERM')
    expect(await hanging.finished).toMatchObject(ends)
    // One of them may be a mkfs, which nothing but its own end would end.
    for (const pid of launchers) killIfThere(pid)
    expect(await leftAfterSecond(own, mark, hanging.pid)).toEqual(nothing)
    await continuedThenStopped(own, `hanging-${times}`)
    expect(groupsOf(hanging.pid)).toEqual([])
  })

  test.skipIf(!isRoot)(
    'goes on when the disk is full (only root can mount a small one)',
    async () => {
      const disk = join(folder.path, 'disk')
      await mkdir(disk)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=755', 'tmpfs', disk])
      try {
        await using small = await readyDaemon(join(disk, 'state'), {
          args: ['--allow-local-images'],
        })
        const script = `while [ ! -e /root/job/stop ]; do echo $(printf '%01999d' 0); done`
        const file = await write('full', `${script}\n`)
        await small.deploy({ file })
        const free = () =>
          Number(execFileSync('stat', ['-f', '-c', '%a', disk], { encoding: 'utf8' }))
        const gone = await write('gone', forever)
        await small.deploy({ file: gone })
        await small.reach('full', 'running')
        await small.reach('gone', 'running')
        const fill = async () => {
          execFileSync('sh', ['-c', `head -c 30m /dev/zero > ${disk}/filling || true`], {
            stdio: 'ignore',
          })
          await expect.poll(free, until).toBe(0)
        }
        await fill()
        await pause(500)
        expect((await small.inspect('full')).state).toBe('running')
        await small.remove('gone')
        expect(processesWith(mark)).toEqual([])
        rmSync(join(disk, 'filling'))
        const lost = async () =>
          (await small.logs('full', { stream: ['host'] })).some(({ text }) =>
            text?.includes('were lost'),
          )
        await expect.poll(lost, until).toBe(true)
        await fill()
        await small.kill()
        await using next = await readyDaemon(join(disk, 'state'), {
          args: ['--allow-local-images'],
        })
        const waits = { state: 'preparing', waiting: expect.stringContaining('is full') as string }
        await expect.poll(() => next.inspect('full'), until).toMatchObject(waits)
        rmSync(join(disk, 'filling'))
        await next.reach('full', 'running')
        await next.client.call('POST /v1/deployments/:id/stop', {
          params: { id: 'full' },
          body: { graceMs: 0 },
        })
        expect(await next.inspect('full')).toMatchObject({ state: 'stopped', executions: 1 })
        expect(await next.stop()).toMatchObject({ code: 0 })
      } finally {
        execFileSync('umount', ['--lazy', disk])
      }
      await expect.poll(() => mountsOf(disk), { timeout: 10_000 }).toEqual([])
    },
  )

  test.skipIf(!isRoot)('works for an ordinary user (only root can become one)', async () => {
    const home = join(folder.path, 'home')
    await mkdir(home)
    const bin = sharedBin()
    execFileSync('chown', ['-R', '65534:65534', home])
    const prefix = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
    const own = join(home, 'state')
    await using user = await readyDaemon(own, { prefix, bin, args: ['--allow-local-images'] })
    const as = (...args: string[]) =>
      run(prefix[0]!, [...prefix.slice(1), process.execPath, bin, ...args, '--state', own])
    const file = await write('user', 'id -u; exit 4')
    const deployed = await as('deploy', file, '--wait')
    expect(deployed, deployed.stderr).toMatchObject({ code: 0 })
    expect(await user.reach('user', 'ended')).toMatchObject({ exit: { code: 4 } })
    expect((await as('logs', 'user')).stdout).toBe('0\n')
    expect(statSync(join(own, 'control.sock'))).toMatchObject({ uid: 65534 })
    const stranger = start('setpriv', [
      '--reuid=65533',
      ...prefix.slice(2),
      process.execPath,
      bin,
      'ps',
      '--state',
      own,
    ])
    expect((await stranger.finished).stderr).toContain('found one of another user')
    expect((await as('rm', 'user')).code).toBe(0)
    expect(await user.stop()).toMatchObject({ code: 0 })
  })
})
