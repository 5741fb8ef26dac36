/**
 * `runtime/docs/bridge.md`: the method table and the error kinds for a reader.
 * @module
 */
import {
  errorCodes,
  errorFacts,
  type ErrorKind,
  type MethodName,
} from '@causeway/guest-sdk/protocol'
import { methodNames } from '../../runtime/src/bridge/gate.ts'
import { implementedLevel } from '../../runtime/src/bridge/level.ts'
import { describeMethod, ownErrors } from '../../runtime/src/bridge/openrpc/openrpc.ts'
import { example } from './examples.ts'
import { fieldRows, type FieldRow } from './field-rows.ts'

const intro = `# Bridge reference

<!-- Made by \`npm run docs\` from the method table (runtime/src/bridge/methods.ts); do not edit. -->

Bridge level ${implementedLevel}. The address is a NUL byte and the value of \`BRIDGE_SOCKET\`, an abstract Unix socket. One
connection carries one request line and one reply line, JSON-RPC 2.0 in UTF-8 ended by \`\\n\`; then the bridge closes it.
Blank lines before the request are skipped. Blank lines alone are answered \`PARSE\` when the stream ends, or after the time for a line.

- \`params\` is an array; one object without the array, \`null\` and no \`params\` are accepted, too. \`null\` for an
  optional field means absent; unknown fields and further elements are ignored.
- \`id\` is a string, a finite number or null, and the reply repeats it. Without it the call is a notification: it is
  carried out, and the connection closes without a reply. Batches are refused.
- \`hex\` is bytes: accepted in either case with an optional \`0x\` or \`0X\`, sent in lower case without.
- Since: the lowest bridge level that has the method. Class: which of the deployment's rate and deadline
  limits ([configuration.md](configuration.md)) the call counts against; the caller of a \`key\` method is checked
  again before the answer.

For programs: [openrpc.json](openrpc.json), or the method \`rpc.discover\`, which also reports which methods its caller
may use.
`

const errorsIntro = `## Errors

A failed call answers \`{code, message, data}\`. Programs switch on \`data.kind\`; \`message\` explains itself to a person.

| member of \`data\` | type | meaning |
| --- | --- | --- |
| \`kind\` | string | what went wrong, a name below |
| \`retryable\` | boolean | whether the same call may succeed later without a change |
| \`hint\` | string, optional | what to do about it |
| \`details\` | object, optional | facts for programs, such as \`{"field": "salt"}\` |
| \`retryAfterMs\` | number, optional | earliest time for a retry, ms from now |
| \`requestId\` | string, only \`INTERNAL\` | identifies the line in the host's log |
`

const retryText = { no: 'no', yes: 'yes', after: 'after `data.retryAfterMs`, if present' }

/** The whole page, before formatting. */
export async function bridgePage(): Promise<string> {
  const sections = await Promise.all(methodNames.map(methodSection))
  return [intro, '## Methods', overview(), ...sections, errorsIntro, errorTable()].join('\n\n')
}

function overview(): string {
  const rows = methodNames.map((name) => [
    `[\`${name}\`](#${anchor(name)})`,
    describeMethod(name).summary,
  ])
  return table(['method', 'gives'], rows)
}

async function methodSection(name: MethodName): Promise<string> {
  const method = describeMethod(name)
  const [params] = method.params
  const platform = method['x-platform'] === 'any' ? 'any platform' : 'mobile platform only'
  return [
    `### \`${name}\``,
    method.summary,
    `Since ${method['x-since']}, ${platform}, class \`${method['x-class']}\`.`,
    params
      ? `Params, one object:\n\n${fieldTable('required', fieldRows(params.schema))}`
      : 'Params: none, `[]`.',
    resultText(fieldRows(method.result.schema)),
    errorList(ownErrors(name)),
    await exampleText(name),
  ].join('\n\n')
}

function resultText(rows: readonly FieldRow[]): string {
  return rows.length === 0 ? 'Result: none, `{}`.' : `Result:\n\n${fieldTable('always', rows)}`
}

function fieldTable(presence: string, rows: readonly FieldRow[]): string {
  const cells = rows.map(({ path, type, required, meaning }) => [
    `\`${path}\``,
    type,
    required ? 'yes' : 'no',
    meaning,
  ])
  return table(['field', 'type', presence, 'meaning'], cells)
}

function errorList(kinds: readonly ErrorKind[]): string {
  if (kinds.length === 0) return 'Errors: [those of every call](#errors).'
  const rows = kinds.map((kind) => [`\`${kind}\``, String(errorCodes[kind]), errorFacts[kind].when])
  return `Errors beside [those of every call](#errors):\n\n${table(['kind', 'code', 'when'], rows)}`
}

function errorTable(): string {
  const own = new Set(methodNames.flatMap(ownErrors))
  const rows = (Object.keys(errorCodes) as ErrorKind[]).map((kind) => [
    `\`${kind}\``,
    String(errorCodes[kind]),
    own.has(kind) ? 'methods that list it' : 'every call',
    errorFacts[kind].when,
    retryText[errorFacts[kind].retry],
  ])
  return table(['kind', 'code', 'of', 'when', 'retry helps'], rows)
}

async function exampleText(name: MethodName): Promise<string> {
  const { request, reply } = await example(name)
  const command = `echo '${request}' | socat -t 10 - ABSTRACT-CONNECT:"$BRIDGE_SOCKET"`
  return `Example:\n\n${block('sh', command)}\n\n${block('text', shortened(name, reply))}`
}

/** Shortens the document of `rpc.discover`, which is pages long. */
function shortened(name: MethodName, reply: string): string {
  if (name !== 'rpc.discover') return reply
  return reply.replace(/"methods":.*/, '"methods":[…],"x-errors":{…}}}')
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The anchor that Markdown readers give a heading. */
function anchor(name: string): string {
  return name.toLowerCase().replace(/[^\w-]/g, '')
}
