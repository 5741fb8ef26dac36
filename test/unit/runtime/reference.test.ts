/**
 * The generated reference is what the code says, and its examples are what happens.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { methodFacts, errorCodes } from '@causeway/guest-sdk/protocol'
import { expect } from 'vitest'
import { exampleHandlers } from '../../generate/examples.ts'
import { referenceFiles } from '../../generate/reference.ts'
import { test } from '../../support/bridge-fixture.ts'

const run = promisify(execFile)
const page = await readFile(new URL('../../../runtime/docs/bridge.md', import.meta.url), 'utf8')

// Made once: formatting them takes a second.
const files = await referenceFiles()

/** The reply as the page shows it: the document of `rpc.discover` would be pages long. */
const shortened = (reply: string) =>
  reply.replace(/"methods":\[.*\],"x-errors":\{.*\}\}\}/, '"methods":[…],"x-errors":{…}}}')

/** Shell line and reply line of every example. */
const examples = [...page.matchAll(/```sh\n(echo .*)\n```\n\n```text\n(.*)\n```/g)].map(
  ([, command, reply]) => ({ command: command!, reply: reply! }),
)

test('the files on disk are those the code makes', async () => {
  const names = files.map(({ path }) => path.split('/').at(-1))
  expect(names).toEqual(['bridge.md', 'openrpc.json', 'openapi.json'])
  for (const { path, text } of files) {
    const found = await readFile(path, 'utf8')
    expect(found === text, `${path} is out of date: run npm run docs`).toBe(true)
  }
})

test('every method and every error kind has its place', () => {
  const sections = [...page.matchAll(/^### `(.*)`$/gm)].map(([, name]) => name)
  expect(sections).toEqual(Object.keys(methodFacts))
  const [, errors] = page.split('## Errors\n')
  const kinds = [...(errors ?? '').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, kind]) => kind)
  expect(kinds).toEqual(Object.keys(errorCodes))
  expect(examples).toHaveLength(sections.length)
})

test.for(examples)('$command', async ({ command, reply }, { open }) => {
  const { name } = open({ handlers: exampleHandlers })
  const env = { ...process.env, BRIDGE_SOCKET: name }
  const { stdout } = await run('sh', ['-c', command], { env })
  expect(shortened(stdout)).toBe(`${reply}\n`)
})

test('availability is in no file', () => {
  const json = files.find(({ path }) => path.endsWith('openrpc.json'))
  expect(JSON.parse(json!.text)).not.toHaveProperty(['methods', 0, 'x-availability'])
})
