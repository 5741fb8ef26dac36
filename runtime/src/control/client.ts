/**
 * Requests to a running daemon.
 * @module
 */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { StartError } from '../errors/start-error.ts'
import type { ErrorBody } from './control-error.ts'

export interface ControlClient {
  /** The answer to a request. @throws Error `KIND: message` as the daemon says it */
  call<T>(method: string, path: string, body?: object): Promise<T>
  /** The documents of an answer that goes on; ends with it, or by the signal. */
  lines<T>(path: string, signal?: AbortSignal): AsyncGenerator<T>
}

/**
 * @param path of the control socket
 * @throws StartError DAEMON_UNREACHABLE from its methods, naming the socket and what to type
 */
export function createControlClient(path: string, startCommand: string): ControlClient {
  const send = async (method: string, url: string, body?: object, signal?: AbortSignal) => {
    const content = body && JSON.stringify(body)
    const sent = request({ socketPath: path, path: url, method, ...(signal && { signal }) })
    // Also after the answer has begun, when it is the answer that fails.
    sent.on('error', () => {}).end(content)
    try {
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return response
    } catch (error) {
      throw unreachable(path, startCommand, error as NodeJS.ErrnoException)
    }
  }
  return {
    async call<T>(method: string, url: string, body?: object) {
      const response = await send(method, url, body)
      await checkStatus(response)
      return (await json(response)) as T
    },
    async *lines<T>(url: string, signal?: AbortSignal) {
      const response = await send('GET', url, undefined, signal)
      await checkStatus(response)
      for await (const line of linesOf(response, path)) yield JSON.parse(line) as T
    },
  }
}

async function* linesOf(response: IncomingMessage, path: string): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (cause) {
    throw new StartError('DAEMON_UNREACHABLE', `${path}: the daemon ended`, { cause })
  } finally {
    // Who has seen enough must not wait for the rest.
    response.destroy()
  }
}

async function checkStatus(response: IncomingMessage): Promise<void> {
  if ((response.statusCode ?? 0) < 400) return
  const { error } = (await json(response)) as ErrorBody
  throw new Error(`${error.kind}: ${error.message}`)
}

function unreachable(path: string, startCommand: string, error: NodeJS.ErrnoException): Error {
  const found = reasons[error.code ?? ''] ?? `one that hung up (${error.code ?? error.message})`
  const text = `${path}: expected the control socket of a daemon, found ${found}; start one: ${startCommand}`
  return new StartError('DAEMON_UNREACHABLE', text, { cause: error })
}

const reasons: Record<string, string> = {
  ENOENT: 'nothing',
  ENOTDIR: 'nothing',
  ECONNREFUSED: 'one that nobody listens at',
  EACCES: 'one of another user',
}
