/** Hosts that cannot limit jobs: the warnings, and the settings that refuse to run. */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causewayBin, run, type Finished } from '../support/causeway.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import { readyDaemon } from '../support/daemon.ts'
import { insideLab, jobsOf, writeProbeJob, type JobParts } from '../support/network-daemon.ts'
import {
  echoPort,
  isRoot,
  needsRoot,
  openNetworkLab,
  publicAddress,
  type NetworkLab,
} from '../support/network-lab.ts'
import { answersOf, compileNetworkProbe } from '../support/network-probe.ts'
import { excess } from '../support/network-rate.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const nothingHolds = 'connections of jobs are neither limited nor kept from private addresses'
const noNft = 'nft is not installed; on Debian: apt-get install nftables'

/** A host without a required feature. */
interface Lacking {
  name: string
  why: string
  bin(): string
  /** Prefix that runs the command in the lab. */
  prefix(): readonly string[]
}

// Hides one program of /usr/sbin, in a new mount namespace.
const hide = `mount --bind /usr/sbin "$0" && mount -t tmpfs none /usr/sbin &&
for file in "$0"/*; do ln -s "$file" /usr/sbin/; done; rm /usr/sbin/nft; exec "$@"`

const hosts: readonly (Lacking & { remedy: string })[] = [
  {
    name: 'an ordinary user',
    why: 'only root can',
    remedy: 'run the daemon as root',
    bin: () => userBin,
    prefix: () => ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'],
  },
  {
    name: 'root without nftables',
    why: noNft,
    remedy: 'apt-get install nftables',
    bin: () => causewayBin,
    prefix: () => ['unshare', '--mount', 'sh', '-c', hide, join(folder.path, 'sbin')],
  },
]

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let parts: JobParts
let lab: NetworkLab
let userBin: string
beforeAll(async () => {
  if (!isRoot) return
  folder = await temporaryFolder()
  const image = await recipeImage('minimal')
  parts = { folder: folder.path, image, probe: await compileNetworkProbe(folder.path) }
  lab = await openNetworkLab()
  for (const name of ['sbin', 'user']) await mkdir(join(folder.path, name))
  userBin = sharedBin()
  execFileSync('chown', ['65534', join(folder.path, 'user')])
})
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

async function commandOf(host: Lacking, network: string, args: readonly string[]) {
  const name = network.replaceAll(/\W+/g, '-')
  const config = join(folder.path, `${name}.toml`)
  await writeFile(config, `[network]\n${network}\n`)
  const isUser = host.bin() === userBin
  const state = join(folder.path, isUser ? 'user' : 'root', 'state')
  const flags = ['--state', state, '--config', config]
  return [...insideLab(lab), ...host.prefix(), process.execPath, host.bin(), ...args, ...flags]
}

async function command(
  host: Lacking,
  network: string,
  ...args: readonly string[]
): Promise<Finished> {
  const [program, ...rest] = await commandOf(host, network, args)
  return run(program!, rest, { cwd: '/', env: { PATH: process.env['PATH'], HOME: folder.path } })
}

describe.skipIf(!isRoot).each(hosts)(`$name (${needsRoot})`, (host) => {
  test('warns that nothing is enforced, and runs', async () => {
    const file = await writeProbeJob(parts, 'unlimited', [
      "discover call rpc.discover '[]'",
      `burst tcp ${publicAddress(1)} ${echoPort} --count=60 --ms=10000`,
    ])
    const ended = await command(host, 'enforce = "auto"', 'run', file, '--allow-local-images')
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    expect(ended.stderr).toContain(`${nothingHolds} (${host.why})`)
    const answers = answersOf(ended.stdout.trim().split('\n'))
    const network = { mode: 'none', enforced: false }
    expect(answers.get('discover')).toMatchObject([{ result: { info: { 'x-network': network } } }])
    expect(answers.get('burst')).toMatchObject([{ opened: 60 }])
    const told = await command(host, 'enforce = "auto"', 'doctor', '--json')
    expect(told, told.stderr).toMatchObject({ code: 0 })
    expect(findingOf(told)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining(`${nothingHolds} (${host.why})`) as string,
      remedy: expect.stringContaining(host.remedy) as string,
    })
  })

  test('refuses what is required', async () => {
    const text = `NETWORK_UNAVAILABLE: network.enforce = "required": ${nothingHolds} (${host.why})`
    const file = await writeProbeJob(parts, 'required', ['never pause 0'])
    for (const args of [['run', file, '--allow-local-images'], ['daemon']]) {
      const ended = await command(host, 'enforce = "required"', ...args)
      expect(ended).toMatchObject({ code: 125, stdout: '' })
      expect(ended.stderr).toContain(text)
    }
    const told = await command(host, 'enforce = "required"', 'doctor', '--json')
    expect(told).toMatchObject({ code: 1 })
    expect(findingOf(told)).toMatchObject({
      status: 'failure',
      detail: expect.stringContaining(`${nothingHolds} (${host.why})`) as string,
    })
  })

  test('refuses a mode that is not available', async () => {
    const ended = await command(host, 'mode = "isolated"', 'daemon')
    expect(ended).toMatchObject({ code: 125, stdout: '' })
    expect(ended.stderr).toContain(`NETWORK_UNAVAILABLE: network.mode = "isolated": ${host.why}`)
  })
})

describe.skipIf(!isRoot)(`root that cannot make namespaces (${needsRoot})`, () => {
  const host: Lacking = {
    name: 'root',
    why: 'no namespaces',
    bin: () => causewayBin,
    prefix: () => ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--'],
  }
  const missing = 'no network namespaces for jobs'
  const rate = { perSecond: 20, burst: 10 }
  const network = `connectionsPerSecond = ${rate.perSecond}\nconnectionBurst = ${rate.burst}`

  test('limits jobs in shared mode, and reports it', async () => {
    const [program, ...rest] = await commandOf(host, network, [])
    const state = join(folder.path, 'root/shared')
    const args = ['--allow-local-images', '--config', rest.at(-1)!]
    const prefix = [program!, ...rest.slice(0, rest.indexOf(process.execPath))]
    await using daemon = await readyDaemon(state, { args, prefix })
    const address = publicAddress(2)
    const jobs = jobsOf(daemon, parts)
    await jobs.start('shared', [
      `burst tcp ${address} ${echoPort} --count=40 --ms=10000 --again=50`,
      'private reach-tcp 10.9.8.7 7',
      'serving serve 7000',
    ])
    await jobs.answer('shared', 'serving')
    const answers = await jobs.answers('shared')
    const view = await daemon.client.call('GET /v1/deployments/:id/network', {
      params: { id: 'shared' },
    })
    expect(view).toMatchObject({
      mode: 'shared',
      missing: [expect.stringContaining(missing) as string],
      limits: { connectionsPerSecond: rate.perSecond },
    })
    expect(answers.get('burst')).toMatchObject([{ opened: 40 }])
    expect(answers.get('private')).toMatchObject([{ answered: false, error: 'EHOSTUNREACH' }])
    const tolerated = { perSecond: 1.25 * rate.perSecond, burst: rate.burst + 2 }
    expect(excess(await lab.server.arrivals(address), tolerated)).toBeLessThanOrEqual(0)
    const { stderr } = await daemon.stop()
    expect(stderr).toContain(missing)
  })
})

interface Finding {
  name: string
  status: string
  detail: string
  remedy?: string
}

function findingOf({ stdout }: Finished): Finding | undefined {
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  return findings.find(({ name }) => name === 'network of jobs')
}
