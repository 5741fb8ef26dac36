/** Traces of jobs' networks after jobs and daemons have ended, and how the next ones treat them. */
import { readdirSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causewayBin, run } from '../support/causeway.ts'
import {
  daemonIn,
  insideLab,
  jobsOf,
  newState,
  writeProbeJob,
  type JobParts,
} from '../support/network-daemon.ts'
import {
  echoPort,
  isRoot,
  needsRoot,
  openNetworkLab,
  publicAddress,
  publicAddress6,
  type NetworkLab,
} from '../support/network-lab.ts'
import { answersOf, compileNetworkProbe } from '../support/network-probe.ts'
import { connectionsOf, excess } from '../support/network-rate.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const until = { timeout: 20_000 }
const modes = ['isolated', 'shared'] as const
const rate = { perSecond: 2, burst: 10 }

const config = (mode: string, more = '') => `[network]
mode = "${mode}"
connectionsPerSecond = ${rate.perSecond}
connectionBurst = ${rate.burst}
${more}`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let parts: JobParts
beforeAll(async () => {
  folder = await temporaryFolder()
  const image = await recipeImage('minimal')
  parts = { folder: folder.path, image, probe: await compileNetworkProbe(folder.path) }
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Interfaces of jobs, tables, and the host's forwarding settings. */
async function traces({ host }: NetworkLab) {
  const show = 'cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding'
  return {
    cables: (await cablesOf(host)).length,
    tables: (await host.script('/usr/sbin/nft list tables')).trim(),
    forwarding: (await host.script(show)).trim().split('\n'),
  }
}

async function cablesOf(host: NetworkLab['host']): Promise<string[]> {
  const links = (await host.script('ip -o link')).split('\n')
  return links.filter((line) => line.includes(' cwy-'))
}

/** Pids in a network namespace, by their links in /proc. */
const inNamespace = (space: string) =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && spaceOf(pid) === space)

function spaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`)
  } catch {
    return '' // ended
  }
}

describe.skipIf(!isRoot).each(modes)(`%s network (${needsRoot})`, { concurrent: true }, (mode) => {
  test('kill -9 of the daemon leaves only what the next start removes', async () => {
    await using lab = await openNetworkLab()
    const before = await traces(lab)
    const state = newState(parts)
    await using killed = await daemonIn(lab, state, config(mode))
    const jobs = jobsOf(killed, parts)
    await jobs.start('lasting', ['own own', 'serving serve 7000'])
    await jobs.answer('lasting', 'serving')
    const { namespace } = await jobs.answer('lasting', 'own')
    const isOwn = mode === 'isolated'
    expect(namespace !== readlinkSync(`/proc/${lab.host.pid}/ns/net`)).toBe(isOwn)
    expect(inNamespace(String(namespace))).not.toEqual([])
    const running = await traces(lab)
    expect(running.cables > 0).toBe(isOwn)
    expect(running.tables).toContain('table inet causeway')
    expect(running.forwarding).toEqual(isOwn ? ['1', '1'] : before.forwarding)
    await killed.kill()
    await expect.poll(() => cablesOf(lab.host), until).toEqual([])
    const left = () => (isOwn ? inNamespace(String(namespace)) : [])
    await expect.poll(left, until).toEqual([])

    await using next = await daemonIn(lab, state, config(mode))
    const again = jobsOf(next, parts)
    await again.answer('lasting', 'serving', 2)
    const own = await again.answer('lasting', 'own', 2)
    expect(own['namespace'] !== namespace).toBe(isOwn)
    const reached = ['there reach-tcp 93.184.217.1 7 --ms=5000']
    expect((await again.run('reaches', reached)).get('there')).toMatchObject([{ answered: true }])
    expect(await next.stop()).toMatchObject({ code: 0 })
    expect(await traces(lab)).toEqual(before)
  })

  test('removing a deployment removes its network, and no other', async () => {
    await using lab = await openNetworkLab()
    await using daemon = await daemonIn(lab, newState(parts), config(mode))
    const jobs = jobsOf(daemon, parts)
    const address = publicAddress(2)
    const commands = ['own own', 'serving serve 7000']
    for (const id of ['gone', 'stays']) await jobs.start(id, commands)
    for (const id of ['gone', 'stays']) await jobs.answer(id, 'serving')
    const { namespace } = await jobs.answer('gone', 'own')
    await jobs.remove('gone')
    expect(mode === 'isolated' ? inNamespace(String(namespace)) : []).toEqual([])
    const reached = [`there reach-tcp ${address} ${echoPort}`]
    expect((await jobs.run('after', reached)).get('there')).toMatchObject([{ answered: true }])
    await daemon.stop()
  })

  test('the start or end of one daemon does not affect the jobs of another', async () => {
    await using lab = await openNetworkLab()
    await using first = await daemonIn(lab, newState(parts), config(mode))
    await using second = await daemonIn(lab, newState(parts), config(mode))
    const reach = [`four reach-tcp ${publicAddress(3)} 7`, `six reach-udp ${publicAddress6(3)} 7`]
    const works = async (jobs: ReturnType<typeof jobsOf>, id: string) => {
      const answers = await jobs.run(id, reach)
      for (const label of ['four', 'six'])
        expect(answers.get(label), `${id} ${label}`).toMatchObject([{ answered: true }])
    }
    await works(jobsOf(first, parts), 'one')
    await works(jobsOf(second, parts), 'two')
    await first.stop()
    await works(jobsOf(second, parts), 'three')
    await second.stop()
    expect((await traces(lab)).tables).toBe('')
  })

  test('restarts do not use up a deployment’s connections', async () => {
    await using lab = await openNetworkLab()
    await using daemon = await daemonIn(lab, newState(parts), config(mode))
    const jobs = jobsOf(daemon, parts)
    const address = publicAddress(4)
    const commands = [
      `burst tcp ${address} ${echoPort} --count=${rate.burst} --ms=1000`,
      'serving serve 7000',
    ]
    await jobs.start('again', commands)
    for (let execution = 1; execution < 4; execution++) {
      await jobs.answer('again', 'serving', execution)
      await daemon.client.call('POST /v1/deployments/:id/stop', {
        params: { id: 'again' },
        body: { graceMs: 0 },
      })
      await daemon.client.call('POST /v1/deployments/:id/start', { params: { id: 'again' } })
    }
    await jobs.answer('again', 'serving', 4)
    const arrived = await lab.server.arrivals(address)
    expect(connectionsOf(arrived).length).toBeGreaterThan(rate.burst)
    const tolerated = { perSecond: 1.25 * rate.perSecond, burst: rate.burst + 2 }
    expect(excess(arrived, tolerated)).toBeLessThanOrEqual(0)
    await daemon.stop()
  })

  test('network.allow opens the networks that it names, and no others', async () => {
    await using lab = await openNetworkLab()
    const opened = 'allow = ["10.9.8.0/24", "fd12:3456:789a::7"]\n'
    await using daemon = await daemonIn(lab, newState(parts), config(mode, opened))
    const answers = await jobsOf(daemon, parts).run('allowed', [
      'open4 reach-tcp 10.9.8.7 7',
      'open6 reach-udp fd12:3456:789a::7 7',
      'closed4 reach-tcp 192.168.7.7 7',
      'closed6 reach-udp fd12:3456:789a::8 7',
    ])
    const told = Object.fromEntries(
      [...answers].map(([label, [answer]]) => [label, answer!['answered']]),
    )
    expect(told).toEqual({ open4: true, open6: true, closed4: false, closed6: false })
    expect(await lab.server.arrivals('192.168.7.7')).toEqual([])
    expect(await lab.server.arrivals('fd12:3456:789a::8')).toEqual([])
    await daemon.stop()
  })

  test('`causeway run` limits its job equally, and leaves nothing', async () => {
    await using lab = await openNetworkLab()
    const before = await traces(lab)
    const address = publicAddress(5)
    const file = await writeProbeJob(parts, 'foreground', [
      "id call deployment_id '[]'",
      `burst tcp ${address} ${echoPort} --count=12 --ms=10000 ${mode === 'shared' ? '--again=50' : ''}`,
      'private reach-tcp 10.9.8.7 7',
    ])
    const ended = await runInLab(lab, file, config(mode))
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    const answers = answersOf(ended.stdout.trim().split('\n'))
    expect(answers.get('id')).toMatchObject([{ result: { id: 'foreground' } }])
    expect(answers.get('burst')).toMatchObject([{ opened: 12 }])
    expect(answers.get('private')).toMatchObject([{ answered: false, error: 'EHOSTUNREACH' }])
    const tolerated = { perSecond: 1.25 * rate.perSecond, burst: rate.burst + 1 }
    expect(excess(await lab.server.arrivals(address), tolerated)).toBeLessThanOrEqual(0)
    expect(await traces(lab)).toEqual(before)
  })
})

async function runInLab(lab: NetworkLab, file: string, toml: string) {
  const state = newState(parts)
  await writeFile(`${state}.toml`, toml)
  const flags = ['--state', state, '--config', `${state}.toml`, '--allow-local-images', '--quiet']
  const command = [...insideLab(lab), process.execPath, causewayBin, 'run', file, ...flags]
  return run(command[0]!, command.slice(1))
}
