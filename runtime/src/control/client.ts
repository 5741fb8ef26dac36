/** Sends requests to a running daemon and checks its answers. @module */
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { StartError } from '../errors/start-error.ts'
import {
  errorBody,
  protocol,
  type CallName,
  type Inputs,
  type Protocol,
  type RequestName,
  type StreamName,
} from './protocol.ts'

/** An answer that fits the protocol; it keeps fields that only a newer daemon knows. */
export type Received<R extends RequestName> = v.InferInput<Protocol[R]['answer']>

type Arguments = { [R in RequestName]: {} extends Inputs[R] ? [Inputs[R]?] : [Inputs[R]] }

/** @throws Error from its methods: `KIND: message` as the daemon says it, or what is wrong with its answer */
export interface ControlClient {
  call<R extends CallName>(name: R, ...input: Arguments[R]): Promise<Received<R>>
  /** The lines of a stream; ends with it, or by the signal. Skips lines of a type that only a newer daemon knows. */
  lines<R extends StreamName>(
    name: R,
    input: Inputs[R],
    signal?: AbortSignal,
  ): AsyncGenerator<Received<R>>
}

/** A request as it is sent. */
interface Sent {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | readonly string[] | undefined>>
  body?: object
}

/**
 * @param path of the control socket
 * @throws StartError DAEMON_UNREACHABLE from its methods, naming the socket and what to type
 */
export function createControlClient(path: string, startCommand: string): ControlClient {
  const send = async (name: RequestName, input: Sent = {}, signal?: AbortSignal) => {
    const [method, pattern = ''] = name.split(' ')
    const target = { socketPath: path, path: urlOf(pattern, input), method }
    const sent = request({ ...target, ...(signal && { signal }) })
    // Without a listener a later error would end the process; the reader of the answer gets it.
    sent.on('error', () => {}).end(input.body && JSON.stringify(input.body))
    try {
      return await responseTo(sent)
    } catch (error) {
      throw unreachable(path, startCommand, error)
    }
  }
  return {
    async call(name, ...[input]) {
      const response = await send(name, input)
      await checkStatus(name, response)
      return fitting(protocol[name].answer, name, parsed(name, await text(response)))
    },
    async *lines(name, input, signal) {
      const response = await send(name, input, signal)
      await checkStatus(name, response)
      const { answer } = protocol[name]
      for await (const line of linesOf(response, path)) {
        const value = parsed(name, line)
        if (v.is(answer, value)) yield value
        else if (!isOfOtherType(answer, value)) throw misfit(answer, name, value)
      }
    },
  }
}

function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => void sent.on('response', resolve).on('error', reject))
}

function urlOf(pattern: string, { params = {}, query = {} }: Sent): string {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => segmentOf(params[name] ?? ''))
  const fields = new URLSearchParams()
  for (const [name, value = []] of Object.entries(query))
    for (const one of [value].flat()) fields.append(name, one)
  return fields.size > 0 ? `${path}?${fields.toString()}` : path
}

/** A URL resolves `.` and `..` away: the request would be another one. @throws StartError DEPLOYMENT_UNKNOWN */
function segmentOf(reference: string): string {
  if (!/^\.{0,2}$/.test(reference)) return encodeURIComponent(reference)
  const text = `${JSON.stringify(reference)}: no deployment has this id or name`
  throw new StartError('DEPLOYMENT_UNKNOWN', text)
}

async function checkStatus(name: RequestName, response: IncomingMessage): Promise<void> {
  if ((response.statusCode ?? 0) < 400) return
  const { error } = fitting(errorBody, name, parsed(name, await text(response)))
  throw new Error(`${error.kind}: ${error.message}`)
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
    // A reader that stops early must not wait for the rest of the answer.
    response.destroy()
  }
}

function parsed(name: RequestName, json: string): unknown {
  try {
    const value: unknown = JSON.parse(json)
    return value
  } catch (cause) {
    throw new Error(`${name}: expected JSON from the daemon, found something else`, { cause })
  }
}

/** Checks a value and returns it as it is, with fields that the schema does not name. @throws Error */
function fitting<S extends v.GenericSchema>(
  schema: S,
  name: RequestName,
  value: unknown,
): v.InferInput<S> {
  if (v.is(schema, value)) return value
  throw misfit(schema, name, value)
}

function misfit(schema: v.GenericSchema, name: RequestName, value: unknown): Error {
  const [issue] = v.safeParse(schema, value).issues ?? []
  const field = (issue && v.getDotPath(issue)) ?? 'the answer'
  return new Error(
    `${name}: this client can not read the daemon’s answer: ${field}: ${issue?.message}`,
  )
}

/** Tells whether a line is of a type that this client does not know. */
function isOfOtherType(schema: v.GenericSchema, value: unknown): boolean {
  const [issue] = v.safeParse(schema, value).issues ?? []
  return issue?.type === 'variant' && v.getDotPath(issue) === 'type'
}

function unreachable(path: string, startCommand: string, cause: unknown): StartError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  const found = reasons[code] ?? `one that hung up (${code})`
  const said = `${path}: expected the control socket of a daemon, found ${found}; start one: ${startCommand}`
  return new StartError('DAEMON_UNREACHABLE', said, { cause })
}

const reasons: Record<string, string> = {
  ENOENT: 'nothing',
  ENOTDIR: 'nothing',
  ECONNREFUSED: 'one that nobody listens at',
  EACCES: 'one of another user',
}
