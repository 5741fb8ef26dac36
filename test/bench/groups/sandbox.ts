/**
 * The cost of the sandbox: starting a job, ending one, and running programs in it.
 * @module
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchContext, Group } from '../group.ts'
import type { Measured } from '../row.ts'
import { chrootCommand, chrootInOverlay } from '../sandbox/chroot.ts'
import { openExecutions } from '../sandbox/executions.ts'
import { backends, openBench, type Bench } from '../sandbox/sandboxes.ts'
import { makeToolsTree } from '../sandbox/tools-tree.ts'
import { median } from '../statistics.ts'

const run = promisify(execFile)

export const sandbox: Group = {
  name: 'sandbox',
  summary: 'jobs under PRoot and in namespaces, beside chroot in the same namespaces',
  async measure(context) {
    if (process.getuid?.() !== 0) throw new Error('the group sandbox needs root, for chroot')
    const tree = join(context.folder, 'tree')
    context.progress('a root with Node and a C compiler')
    await makeToolsTree(tree, context)
    const benches: Bench[] = []
    for (const backend of backends) {
      benches.push(await openBench(backend, join(context.folder, backend)))
    }
    const owner = String(benches[0]!.treeOwner)
    await run('chown', ['-R', '-h', `${owner}:${owner}`, tree])
    const rows: Measured[] = []
    for (const bench of benches) {
      rows.push(...(await starts(context, bench, tree)), await killsOf(context, bench, tree))
      rows.push(...(await programs(context, bench, tree)))
      await bench.close()
    }
    return rows
  },
}

const startsPerRound = 10

/** Milliseconds of several starts beside their floor: of the sandbox alone, and of all. */
async function starts(context: BenchContext, bench: Bench, tree: string): Promise<Measured[]> {
  const { backend } = bench
  const folder = join(context.folder, `executions-${backend}`)
  await mkdir(folder)
  await chmod(folder, 0o755)
  const executions = await openExecutions(backend, folder)
  const columns: { floor: number[]; sandbox: number[]; whole: number[] } = {
    floor: [],
    sandbox: [],
    whole: [],
  }
  try {
    await executions.msToOutput()
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`${backend}: starts, round ${round + 1}`)
      const samples = { floor: [] as number[], sandbox: [] as number[], whole: [] as number[] }
      for (let count = 0; count < startsPerRound; count++) {
        samples.floor.push(await msOfChroot(tree))
        samples.sandbox.push(await bench.msToOutput(tree))
        samples.whole.push(await executions.msToOutput())
      }
      for (const name of ['floor', 'sandbox', 'whole'] as const) {
        columns[name].push(median(samples[name]))
      }
    }
  } finally {
    await executions.close()
  }
  const { floor: floors, sandbox: values, whole } = columns
  const name = `${backend}: cached start to first output`
  const remark =
    'with ids, groups, a file system and an overlay of its own, of which the floor has none'
  const all = 'keys, bridge, image and bundle included'
  return [
    { name, unit: 'ms', values, floors, target: { of: 'ratio', atMost: 2 }, remark },
    {
      name: `${name}, whole execution`,
      unit: 'ms',
      values: whole,
      floors,
      target: { of: 'ratio', atMost: 3.1 },
      remark: all,
    },
  ]
}

async function msOfChroot(tree: string): Promise<number> {
  const [program = '', ...args] = chrootCommand(tree, ['/bin/sh', '-c', 'echo here'])
  const began = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const took = performance.now() - began
  await once(child, 'close')
  return took
}

// Processes that ignore signals and are nested: all that a tree can do to survive.
const manyProcesses = `
trap '' TERM HUP INT
for outer in 1 2 3 4 5; do
  (trap '' TERM HUP INT; for inner in 1 2 3; do nohup sleep 100 & done; sleep 100) &
done
sleep 0.3
echo here
wait`

async function killsOf(context: BenchContext, bench: Bench, tree: string): Promise<Measured> {
  const [values, floors]: [number[], number[]] = [[], []]
  for (let round = 0; round < context.rounds; round++) {
    context.progress(`${bench.backend}: kills, round ${round + 1}`)
    const job = await bench.start(tree, ['/bin/sh', '-c', manyProcesses])
    await once(job.stdout, 'data')
    job.stdout.resume()
    const began = performance.now()
    job.kill()
    await job.exited
    values.push(performance.now() - began)
    floors.push(await msToKillChroot(tree))
  }
  const name = `${bench.backend}: a tree of 26 processes killed`
  return { name, unit: 'ms', values, floors, target: { of: 'ratio', atMost: 8.3 } }
}

/** Until the last of them has closed the output that all of them share. */
async function msToKillChroot(tree: string): Promise<number> {
  const [program = '', ...args] = chrootCommand(tree, ['/bin/sh', '-c', manyProcesses])
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  child.stdout.resume()
  const began = performance.now()
  child.kill('SIGKILL')
  await once(child, 'close')
  return performance.now() - began
}

interface Work {
  name: string
  runs: number
  command: readonly string[]
  /** By backend; absent where there is no target. */
  targets: Partial<Record<Bench['backend'], number>>
}

const works: readonly Work[] = [
  {
    name: 'node -e 0',
    runs: 5,
    command: ['node', '-e', '0'],
    targets: { proot: 2.5, namespaces: 1.1 },
  },
  {
    name: 'gcc of a small file',
    runs: 5,
    command: ['gcc', '-o', '/dev/shm/hello', '/hello.c'],
    targets: { namespaces: 1.1 },
  },
  {
    name: '50,000 stat',
    runs: 3,
    command: ['stat-many', '50000', '/usr/bin/node'],
    targets: { namespaces: 1.1 },
  },
]

async function programs(context: BenchContext, bench: Bench, tree: string): Promise<Measured[]> {
  const rows: Measured[] = []
  for (const work of works) {
    const values: number[] = []
    const floors: number[] = []
    const plain: number[] = []
    for (let round = 0; round < context.rounds; round++) {
      context.progress(`${bench.backend}: ${work.name}, round ${round + 1}`)
      const command = ['/usr/bin/time-runs', String(work.runs), ...work.command]
      const folder = await mkdtemp(join(context.folder, 'floor-'))
      plain.push(await msOf(chrootCommand(tree, command)))
      floors.push(await msOf(await chrootInOverlay(tree, folder, command)))
      values.push(medianMs(await bench.run(tree, command)))
    }
    const overPlain = median(values.map((value, round) => value / plain[round]!))
    const atMost = work.targets[bench.backend]
    rows.push({
      name: `${bench.backend}: ${work.name}`,
      unit: 'ms',
      values,
      floors,
      ...(atMost !== undefined && { target: { of: 'ratio', atMost } }),
      remark: `the floor has an overlay, too; to chroot without one it is ${overPlain.toFixed(2)}`,
    })
  }
  return rows
}

async function msOf([program = '', ...args]: readonly string[]): Promise<number> {
  return medianMs((await run(program, args, { env: guestEnvironment })).stdout)
}

const guestEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }

function medianMs(lines: string): number {
  return median(
    lines
      .trim()
      .split('\n')
      .map((line) => Number(line) / 1e6),
  )
}
