/**
 * The scenario for the sanitizers: sanitizer-scenario.ts NATIVE-FACE. Prints as JSON how often each
 * behaviour of the clients had which end, and ends with connections and calls still open.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { BridgeEngine, Membership } from '@causeway/native'
import { start } from './causeway.ts'
import { limitSets, startEngine, type NativeFace } from './sanitizer-engines.ts'
import { times } from './effort.ts'

type Counts = Record<string, number>

const clientsScript = fileURLToPath(new URL('sanitizer-clients.py', import.meta.url))
const workerScript = new URL('sanitizer-worker.ts', import.meta.url).href
// Threads do not inherit the TypeScript loader.
const startWorker = `
  import('tsx/esm/api').then(({ register }) => {
    register()
    return import(${JSON.stringify(workerScript)})
  })`
const uid = process.getuid?.() ?? 0
const ownNamespace: Membership = { by: 'pid-namespace', uid, pid: process.pid }
const counts: Counts = {}

const native = process.argv[2] ?? ''
const face = (await import(native)) as NativeFace
const collectGarbage = globalThis.gc ?? (() => {})

/** Starts a process of clients; `done` resolves when it has ended and its results are counted. */
function startClients(name: string, ...args: (string | number)[]) {
  const padded = Buffer.alloc(108)
  const length = padded.write(`\0${name}`)
  const address = Math.random() < 0.5 ? padded : padded.subarray(0, length)
  // The clients run without the sanitizers.
  const env = { ...process.env, LD_PRELOAD: undefined }
  const program = [clientsScript, address.toString('hex'), ...args.map(String)]
  const { child, finished } = start('python3', program, { env })
  return {
    pid: child.pid ?? 0,
    child,
    done: finished.then(({ stdout, stderr }) => add(stdout, stderr)),
  }
}

function add(stdout: string, stderr: string): void {
  if (stderr) throw new Error(`the clients failed: ${stderr}`)
  for (const [what, count] of Object.entries((stdout ? JSON.parse(stdout) : {}) as Counts)) {
    counts[what] = (counts[what] ?? 0) + count
  }
}

/** The same crowd against every set of limits at once. */
async function crowds(): Promise<void> {
  const bridges = limitSets.map((limits) => startEngine(face, limits))
  await Promise.all(
    bridges.flatMap(({ name }, index) => [
      startClients(name, index, 80).done,
      startClients(name, index + 100, 80).done,
    ]),
  )
  for (const { engine } of bridges) engine.close('closing')
}

/** Every kind of membership, with more processes at once than the engine remembers. */
async function admissions(): Promise<void> {
  const { name, engine, refused } = startEngine(face, limitSets[0]!)
  engine.admit(ownNamespace)
  await startClients(name, 'member', 300, 100).done
  const traced = startClients(name, 'traced', 200, 50)
  engine.admit({ by: 'tracer', uid, pid: traced.pid })
  await Promise.all([traced.done, startClients(name, 'member', 100, 20).done])
  counts['refused tracer'] = refused['tracer'] ?? 0
  await switching(name, engine)
  engine.close('closing')
}

/** Changes the membership while connections of the old kind are open. */
async function switching(name: string, engine: BridgeEngine) {
  const kinds: Membership[] = [
    { by: 'uid', uid },
    ownNamespace,
    { by: 'tracer', uid, pid: process.pid },
  ]
  let turn = 0
  const timer = setInterval(() => engine.admit(kinds[turn++ % kinds.length]!), 3)
  await Promise.all([startClients(name, 'member', 300, 30).done, startClients(name, 7, 80).done])
  clearInterval(timer)
}

/** Closes thousands of connections in the middle of their calls, and collects the garbage. */
async function stops(): Promise<void> {
  const name = randomUUID()
  const clients = [startClients(name, 1000, 1e6), startClients(name, 1001, 1e6)]
  for (let round = 0; round < times({ short: 16, long: 40 }); round++) {
    const { engine } = startEngine(face, limitSets[round % limitSets.length]!, name)
    if (round % 2) engine.admit(ownNamespace)
    await delay(Math.random() * 100)
    engine.close('closing')
    engine.close('closing twice')
    engine.reply(1, 'after the end')
    if (round % 4 === 0) collectGarbage()
  }
  for (const { child } of clients) child.kill('SIGKILL')
  await Promise.all(clients.map(({ done }) => done))
}

/** Terminates threads without closing their engine. */
async function threads(): Promise<void> {
  const name = randomUUID()
  const clients = startClients(name, 2000, 1e6)
  for (let round = 0; round < 8; round++) {
    const worker = new Worker(startWorker, { eval: true, workerData: { native, name } })
    await once(worker, 'message')
    await delay(Math.random() * 100)
    await worker.terminate()
  }
  clients.child.kill('SIGKILL')
  await clients.done
}

await crowds()
await admissions()
await stops()
await threads()
collectGarbage()
const last = startEngine(face, limitSets[0]!)
const { child } = startClients(last.name, 3000, 1000)
await delay(500)
process.stdout.write(`${JSON.stringify(counts)}\n`)
child.kill('SIGKILL')
process.exit(0)
