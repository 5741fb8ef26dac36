/**
 * The protocol of the control socket: what a client makes of a daemon of another version, and what
 * its schemas need.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test as base } from 'vitest'
import { createControlClient, type ControlClient } from '../../../../runtime/src/control/client.ts'
import { errorKinds, protocol } from '../../../../runtime/src/control/protocol.ts'
import { testStatus } from '../../../support/control-status.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { thrownBy } from '../../../support/thrown.ts'

const page = new URL('../../../../runtime/docs/control-api.md', import.meta.url)
const name = '0'.repeat(32)
const one = { params: { id: 'one' } }

/** A client of a daemon that answers whatever the test says. */
const test = base.extend<{
  daemon: { client: ControlClient; says: (text: string, code?: number) => void }
}>({
  daemon: async ({}, use) => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'control.sock')
    let [answer, status] = ['', 200]
    const server = createServer((_, response) => response.writeHead(status).end(answer))
    await once(server.listen(path), 'listening')
    const says = (text: string, code = 200) => void ([answer, status] = [text, code])
    await use({ client: createControlClient(path, 'causeway daemon'), says })
    server.close()
  },
})

test('what a newer daemon adds is passed on', async ({ daemon: { client, says } }) => {
  const newer = { ...testStatus(), colour: 'blue' }
  says(JSON.stringify(newer))
  expect(await client.call('GET /v1/status')).toEqual(newer)
  const exit = { reason: 'exited', code: 1, why: 'x' }
  says(JSON.stringify({ name, state: 'ended', exit }))
  expect(await client.call('GET /v1/deployments/:id', one)).toEqual({ name, state: 'ended', exit })
})

test('events of a type that only a newer daemon knows are skipped', async ({
  daemon: { client, says },
}) => {
  const known = [
    { type: 'warning', message: 'a' },
    { type: 'wanted', wanted: 'stopped' },
  ]
  says(
    [known[0], { type: 'eclipse' }, known[1]].map((line) => `${JSON.stringify(line)}\n`).join(''),
  )
  const seen: unknown[] = []
  for await (const event of client.lines('GET /v1/deployments/:id/events', one)) seen.push(event)
  expect(seen).toEqual(known)
})

test.for([
  { answer: { ...testStatus(), pid: 'x' }, says: 'pid: Invalid type' },
  { answer: {}, says: 'version: Invalid key' },
  { answer: null, says: 'the answer: Invalid type' },
])('an answer that does not fit: $says', async ({ answer, says: text }, { daemon }) => {
  daemon.says(JSON.stringify(answer))
  const error = await thrownBy(() => daemon.client.call('GET /v1/status'))
  expect(error).toMatchObject({
    message: expect.stringContaining(
      `GET /v1/status: this client can not read the daemon’s answer: ${text}`,
    ) as string,
  })
})

test('a line that does not fit, and what is no JSON', async ({ daemon: { client, says } }) => {
  says('{"type":"warning"}\n')
  const next = () => client.lines('GET /v1/deployments/:id/events', one).next()
  expect(await thrownBy(next)).toMatchObject({ message: expect.stringContaining('message: ') })
  for (const code of [200, 404]) {
    says('<html>', code)
    expect(await thrownBy(() => client.call('GET /v1/status'))).toMatchObject({
      message: 'GET /v1/status: expected JSON from the daemon, found something else',
    })
  }
})

test('a refusal of a kind that only a newer daemon has', async ({ daemon: { client, says } }) => {
  says('{"error":{"kind":"ECLIPSE","message":"dark"}}', 503)
  await expect(client.call('GET /v1/status')).rejects.toThrow('ECLIPSE: dark')
})

test('the page names every request, every status and every kind of refusal', async () => {
  const text = await readFile(page, 'utf8')
  const requests = Object.keys(protocol).map((request) => request.replace(':id', 'ID'))
  const kinds = Object.values(errorKinds).flat()
  for (const word of [...requests, ...kinds]) expect(text).toContain(`\`${word}`)
  for (const status of Object.keys(errorKinds))
    expect(text).toMatch(new RegExp(`^\\| ${status} `, 'm'))
})
