/**
 * Reaches the bridge by another program, on the form of the address that this Node cannot send.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressForm } from './address.ts'
import type { BridgeOptions } from './bridge.ts'

/** A program's output; `failure` is the last line of its stderr, or its exit. */
export interface ProgramReply {
  bytes: Buffer
  failure: string
}

const python = `
import socket, sys
name, form, seconds = sys.argv[1:]
address = b'\\0' + name.encode()
client = socket.socket(socket.AF_UNIX)
client.settimeout(float(seconds))
client.connect(address.ljust(108, b'\\0') if form == 'padded' else address)
client.sendall(sys.stdin.buffer.read())
sys.stdout.buffer.write(client.makefile('rb').readline(1 << 22))
`

// For the program's start, and for a bridge that never stops sending.
const extraMs = 5000

// Other characters have a special meaning in socat's addresses.
const plainName = /^[\w.-]+$/

/** Sends one line; undefined when no installed program can. */
export async function askWithProgram(
  { name, timeoutMs }: BridgeOptions,
  form: AddressForm,
  line: string,
): Promise<ProgramReply | undefined> {
  const seconds = String(timeoutMs / 1000)
  const askWith = (program: string, args: readonly string[]) =>
    ask(program, args, line, timeoutMs + extraMs)
  const viaPython = await askWith('python3', ['-c', python, name, form, seconds])
  if (viaPython || !plainName.test(name)) return viaPython
  const tight = form === 'padded' ? ',unix-tightsocklen=0' : ''
  return askWith('socat', ['-t', seconds, '-', `ABSTRACT-CONNECT:${name}${tight}`])
}

async function ask(
  program: string,
  args: readonly string[],
  line: string,
  timeout: number,
): Promise<ProgramReply | undefined> {
  const child = spawn(program, args, { stdio: 'pipe', timeout, killSignal: 'SIGKILL' })
  const chunks: Buffer[] = []
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')))
  child.stdin.on('error', () => {}).end(line)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    const last = errors.trim().split('\n').at(-1) ?? ''
    return { bytes: Buffer.concat(chunks), failure: last || `${program} ended with ${code}` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
