/** Checks what a client of the control socket sends, before anything is done with it. @module */
import type { IncomingMessage } from 'node:http'
import * as v from 'valibot'
import { ControlError, invalidRequest } from './control-error.ts'
import type { QuerySchema } from './protocol.ts'

const maxBodyBytes = 64 * 1024

/** Reads the JSON body of a request; `{}` when it has none. @throws ControlError */
export async function readJson<S extends v.GenericSchema>(
  request: IncomingMessage,
  schema: S,
): Promise<v.InferOutput<S>> {
  const text = (await readBody(request)).toString('utf8')
  return check(schema, text === '' ? {} : parse(text))
}

/** Reads the query of a request: an array for each field that may be repeated. @throws ControlError */
export function readQuery<S extends QuerySchema>(
  query: URLSearchParams,
  schema: S,
): v.InferOutput<S> {
  const names = new Set(query.keys())
  const fields = [...names].map((name) => {
    const values = query.getAll(name)
    const field = Object.hasOwn(schema.entries, name) ? schema.entries[name] : undefined
    // Only the schema of a list accepts an empty array.
    if (field && v.is(field, [])) return [name, values]
    if (values.length > 1) throw invalidRequest(`${name}: expected one value`)
    return [name, values[0]]
  })
  return check(schema, Object.fromEntries(fields))
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBodyBytes)
      throw new ControlError('TOO_LARGE', `expected at most ${maxBodyBytes} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest('expected a JSON body')
  }
}

/** Checks a value and returns the schema's output. @throws ControlError */
export function check<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  throw invalidRequest(describe(issue))
}

function describe(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue) ?? 'the request'
  if (issue.expected === 'never') return `${field}: there is no such field`
  // Messages of our schemas say what is expected; the library's begin with "Invalid".
  const expected = issue.message.startsWith('Invalid')
    ? `expected ${issue.expected ?? 'something else'}`
    : issue.message
  return `${field}: ${expected}, found ${issue.received === 'undefined' ? 'nothing' : issue.received}`
}
