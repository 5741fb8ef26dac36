/** Sends the same bytes to `causeway serve` as installed. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve } from '../support/causeway.ts'
import { connectRaw, sendRaw } from '../support/raw-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isBuilt = existsSync(new URL('../../runtime/dist/main.js', import.meta.url))

const version = '{"jsonrpc":"2.0","method":"processor_version","id":"1"}'
const answer = '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0"}}\n'

describe.skipIf(!isBuilt)('causeway serve; needs a build', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let host: Awaited<ReturnType<typeof serve>>

  beforeAll(async () => {
    folder = await temporaryFolder()
    const file = join(folder.path, 'deployment.json')
    await writeFile(file, '{"id":"3510","policy":{"methods":["processor_*","signer_*"]}}')
    host = await serve([file, '--state', join(folder.path, 'state')])
  }, 30_000)
  afterAll(async () => {
    await host[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test.for([
    { name: 'a line', sent: [`${version}\n`], halfClose: false },
    { name: 'in two parts', sent: [version.slice(0, 20), `${version.slice(20)}\r\n`] },
    { name: 'no newline, half-closed', sent: [version], halfClose: true },
    { name: 'two lines', sent: [`${version}\n${version}\n`] },
  ])('$name', async ({ sent, halfClose = false }) => {
    expect(await sendRaw(host.ready.socket, sent, { halfClose })).toEqual({
      text: answer,
      end: 'eof',
    })
  })

  test.for([
    { sent: 'hello', code: -32700, kind: 'PARSE' },
    { sent: '[]', code: -32600, kind: 'INVALID_REQUEST' },
    { sent: version.replace('processor_version', 'no'), code: -32601, kind: 'METHOD_NOT_FOUND' },
    {
      sent: version.replace('processor_version', 'signer_sign'),
      code: -32602,
      kind: 'INVALID_PARAMS',
    },
    {
      sent: version.replace('processor_version', 'deployment_id'),
      code: -32603,
      kind: 'PERMISSION_DENIED',
    },
  ])('$kind', async ({ sent, code, kind }) => {
    const { text } = await sendRaw(host.ready.socket, [`${sent}\n`])
    expect(JSON.parse(text)).toMatchObject({ error: { code, data: { kind } } })
  })

  test.for([
    { name: 'with limits', flags: [], code: -32005 },
    { name: 'without', flags: ['--no-limits'], code: undefined },
  ])('300 connections held open $name', async ({ flags, code }) => {
    const file = join(folder.path, 'deployment.json')
    await using other = await serve([file, '--state', join(folder.path, 'state'), ...flags])
    const held = Array.from({ length: 300 }, () => connectRaw(other.ready.socket))
    await Promise.all(
      held.map((socket) =>
        once(
          socket.on('error', () => {}),
          'connect',
        ),
      ),
    )
    const { text } = await sendRaw(other.ready.socket, [`${version}\n`])
    for (const socket of held) socket.destroy()
    const { error } = JSON.parse(text) as { error?: { code: number } }
    expect(error?.code).toBe(code)
  })

  test('ends on SIGTERM with connections open', async () => {
    const file = join(folder.path, 'deployment.json')
    const other = await serve([file, '--state', join(folder.path, 'state')])
    const idle = connectRaw(other.ready.socket)
    idle.on('error', () => {}).resume()
    await sendRaw(other.ready.socket, [`${version}\n`])
    await other[Symbol.asyncDispose]()
    expect(await other.finished).toMatchObject({ code: 0, signal: null })
    idle.destroy()
  }, 30_000)
})
