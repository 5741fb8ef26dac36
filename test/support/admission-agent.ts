/**
 * Processes that obey a test's commands, inside a job or outside; see `admission-agent.py`.
 * @module
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** The program of every agent, for Python 3. */
export const agentProgram = readFileSync(new URL('admission-agent.py', import.meta.url), 'utf8')

/**
 * How a process is created: `daemon` by two forks and in its own session, `namespace` in its own
 * PID namespace, `threaded` with a main thread that has ended.
 */
export type Descent = 'child' | 'daemon' | 'namespace' | 'threaded'

/** An agent's first report about itself; pids are those of its own namespace. */
export interface Hello {
  label: string
  /** Why it failed to become what the test asked for. */
  error: string | null
  pid: number
  ppid: number
  session: number
}

/** A process that answers commands. */
export interface Agent {
  hello: Hello
  /** Calls `do_COMMAND`. @throws Error with the agent's exception, or when it ends first */
  do(command: string, args?: object): Promise<unknown>
  /** Makes one call on a socket; resolves with the parsed reply. */
  call(socket: string, method: string, params?: readonly unknown[]): Promise<unknown>
  /** Makes a call on a connection that the agent keeps open. */
  callOn(key: string, method: string, params?: readonly unknown[]): Promise<unknown>
  fork(how?: Descent): Promise<Agent>
  /** Its pid in our namespace; undefined when there is no such process. */
  hostPid(): number | undefined
  /** Resolves when its control connection is closed. */
  ended: Promise<void>
}

/** The control socket, to which agents report. */
export interface Control extends AsyncDisposable {
  /** The environment for a future agent, and that agent once it has reported. */
  expect(): { environment: Record<string, string>; arrived: Promise<Agent> }
  /** An agent that belongs to no job. */
  stranger(uid?: number): Promise<Agent>
}

let labels = 0
// A process's name has at most 15 bytes.
const newLabel = () => `agent-${process.pid}-${++labels}`

export async function openControl(): Promise<Control> {
  // 107 bytes: Node 20 pads shorter names, and Python does not.
  const name = `causeway-agent-${randomBytes(46).toString('hex')}`
  const waiting = new Map<string, (agent: Agent) => void>()
  const connections: Socket[] = []
  const expect = (label = newLabel()) => ({
    environment: { AGENT_CONTROL: name, AGENT_LABEL: label },
    arrived: new Promise<Agent>((resolve) => waiting.set(label, resolve)),
  })
  const server = createServer((connection) => {
    connections.push(connection)
    void greet(connection, expect).then((agent) => waiting.get(agent.hello.label)?.(agent))
  })
  server.listen({ path: `\0${name}` })
  await once(server, 'listening')
  return {
    expect: () => expect(),
    stranger: async (uid) => {
      const { environment, arrived } = expect()
      startStranger(environment, uid)
      return arrived
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function startStranger(environment: Record<string, string>, uid: number | undefined): void {
  spawn('python3', ['-c', agentProgram], {
    stdio: ['ignore', 'inherit', 'inherit'],
    cwd: '/',
    env: { PATH: process.env['PATH'], ...environment },
    ...(uid !== undefined && { uid, gid: uid }),
  })
}

type Expect = (label?: string) => ReturnType<Control['expect']>

async function greet(connection: Socket, expect: Expect): Promise<Agent> {
  const ended = once(
    connection.on('error', () => {}),
    'close',
  ).then(() => {})
  const lines = createInterface({ input: connection })[Symbol.asyncIterator]()
  const hello = JSON.parse((await lines.next()).value as string) as Hello
  const answer = async (command: string, args: object = {}) => {
    connection.write(`${JSON.stringify({ do: command, ...args })}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`${hello.label} ended before its answer to ${command}`)
    const { result, error } = JSON.parse(value) as { result?: unknown; error?: string }
    if (error !== undefined) throw new Error(`${command}: ${error}`)
    return result
  }
  const ask = async (command: string, args: object) =>
    JSON.parse((await answer(command, args)) as string) as unknown
  return {
    hello,
    ended,
    do: answer,
    call: (name, method, params = []) => ask('ask', { name, line: request(method, params) }),
    callOn: (key, method, params = []) => ask('use', { key, line: request(method, params) }),
    async fork(how = 'child') {
      const label = newLabel()
      const { arrived } = expect(label)
      await answer('fork', { label, how })
      return arrived
    },
    hostPid: () => pidOf(hello.label),
  }
}

function request(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params, id: '1' })
}

/** The pid, in our namespace, of the living process with that name. */
function pidOf(label: string): number | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found = pids.find((pid) => isAliveAs(label, pid))
  return found === undefined ? undefined : Number(found)
}

function isAliveAs(label: string, pid: string): boolean {
  try {
    // The name in parentheses, then the state letter (proc(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.includes(` (${label}) `) && !stat.includes(') Z ')
  } catch {
    return false
  }
}
