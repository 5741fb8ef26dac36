/**
 * The control socket: what it answers to clients in order, and to the others.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createConnection, createServer, type Socket } from 'node:net'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { test as base, describe, expect } from 'vitest'
import { createControlClient, type ControlClient } from '../../../../runtime/src/control/client.ts'
import { startControlServer } from '../../../../runtime/src/control/server.ts'
import { StartError } from '../../../../runtime/src/errors/start-error.ts'
import { testStatus } from '../../../support/control-status.ts'
import { openSockets } from '../../../support/open-descriptors.ts'
import { recordingLog, type RecordingLog } from '../../../support/recording-log.ts'
import { exited } from '../../../support/scripted-jobs.ts'
import {
  nameOf,
  startingSupervisor,
  testSupervisor,
  type TestSupervisor,
} from '../../../support/supervised-deployments.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { thrownBy } from '../../../support/thrown.ts'

interface Fixture {
  folder: string
  host: TestSupervisor
  path: string
  client: ControlClient
  log: RecordingLog
}

const test = base.extend<{ control: Fixture }>({
  control: async ({}, use) => {
    await using folder = await temporaryFolder()
    await using host = await testSupervisor(folder.path)
    const path = join(folder.path, 'control.sock')
    const log = recordingLog()
    const { supervisor } = host
    const options = { path, supervisor, status: testStatus, log: log.log }
    const server = await startControlServer(options)
    const client = createControlClient(path, 'causeway daemon')
    await use({ folder: folder.path, host, path, client, log })
    await server.close()
  },
})

const one = { id: 'one' }

function sendRaw(path: string, bytes: string | Buffer): Promise<string> {
  const socket = createConnection(path, () => socket.write(bytes))
  return text(socket)
}

async function send(path: string, method: string, url: string, body?: string) {
  const sent = request({ socketPath: path, method, path: url })
  sent.end(body)
  const [response] = (await new Promise((resolve, reject) => {
    sent.on('response', (...args) => resolve(args)).on('error', reject)
  })) as [import('node:http').IncomingMessage]
  return { status: response.statusCode, body: JSON.parse(await text(response)) as unknown }
}

describe('a client', () => {
  test('deploys, looks, stops, starts and removes', async ({ control: { host, client } }) => {
    const file = await host.deploy('template')
    await host.supervisor.remove('template', { force: true, forgetKeys: false })
    const detail = await client.call('POST /v1/deployments', { body: { file } })
    expect(detail).toMatchObject({ id: 'template', name: nameOf('template') })
    const all = await client.call('GET /v1/deployments')
    expect(all.deployments).toMatchObject([{ id: 'template' }])
    const params = { id: 'template' }
    expect(await client.call('GET /v1/deployments/:id', { params })).toMatchObject({ file })
    const body = { graceMs: 5 }
    const stopped = await client.call('POST /v1/deployments/:id/stop', { params, body })
    expect(stopped).toMatchObject({ state: 'stopped' })
    const started = await client.call('POST /v1/deployments/:id/start', { params })
    expect(started).toMatchObject({ state: 'scheduled' })
    const query = { force: '1', keys: '1' } as const
    expect(await client.call('DELETE /v1/deployments/:id', { params, query })).toEqual({})
    expect(host.keyCalls.at(-1)).toBe('forget template')
    expect(await client.call('GET /v1/status')).toEqual(testStatus())
  })

  test('follows a log to its end', async ({ control: { host, client } }) => {
    await host.deploy('one')
    const followed = (async () => {
      const texts: unknown[] = []
      for await (const entry of client.lines('GET /v1/deployments/:id/logs', {
        params: one,
        query: { follow: '1', stream: ['stdout', 'stderr'] },
      }))
        texts.push(entry.text)
      return texts
    })()
    const job = await host.jobs.next()
    job.print('a\nb\n')
    job.end(exited(0))
    expect(await followed).toEqual(['a', 'b'])
    const numbers: number[] = []
    for await (const { seq } of client.lines('GET /v1/deployments/:id/logs', {
      params: one,
      query: { since: '1', tail: '2' },
    }))
      numbers.push(seq)
    const { log } = host.supervisor.inspect('one')
    expect(numbers).toEqual([log!.seq - 1, log!.seq])
  })

  test('sees how it is, and then what happens', async ({ control: { host, client } }) => {
    await host.deploy('one')
    const job = await host.jobs.next()
    const types: string[] = []
    for await (const event of client.lines('GET /v1/deployments/:id/events', {
      params: one,
    })) {
      types.push(event.type)
      if (event.type === 'state') job.end(exited(0))
      if (event.type === 'execution-ended') break
    }
    expect(types[0]).toBe('state')
    expect(types.slice(-2)).toEqual(['attempt-ended', 'execution-ended'])
  })

  test('that goes away leaves nothing behind', async ({ control: { host, client } }) => {
    await host.deploy('one')
    await host.jobs.next()
    for (let count = 0; count < 20; count++) {
      const query = { follow: '1' } as const
      const lines = client.lines('GET /v1/deployments/:id/logs', { params: one, query })
      for await (const entry of lines) {
        expect(entry.seq).toBe(1)
        break
      }
    }
    await host.supervisor.stop('one')
  })

  test('of another kind works, too', async ({ control: { host, path } }) => {
    await host.deploy('one')
    const run = promisify(execFile)
    const script = `import http.client, socket, sys
class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sys.argv[1])
connection = Connection("control")
connection.request("GET", "/v1/deployments/one")
print(connection.getresponse().read().decode())`
    const { stdout } = await run('python3', ['-c', script, path])
    expect(JSON.parse(stdout)).toMatchObject({ id: 'one' })
  })

  test('is told what is wrong', async ({ control: { path: socket, folder } }) => {
    const refusals: [method: string, path: string, body: object | undefined, text: string][] = [
      ['GET', '/v1/deployments/none', undefined, 'none: no deployment'],
      ['GET', '/v1/deployments/', undefined, 'DEPLOYMENT_UNKNOWN'],
      ['GET', '/v1/nothing', undefined, 'there is nothing at /v1/nothing'],
      ['DELETE', '/v1/status', undefined, 'DELETE is not for /v1/status'],
      ['GET', '/v1/deployments/a/b/c', undefined, 'NOT_FOUND'],
      ['POST', '/v1/deployments', {}, '"message":"file: expected'],
      ['POST', '/v1/deployments', { file: 'x' }, 'file: expected an absolute path'],
      ['POST', '/v1/deployments', { file: '/x', more: 1 }, 'more: there is no such field'],
      ['POST', '/v1/deployments', { file: join(folder, 'x') }, 'INPUT_UNREADABLE'],
      ['POST', '/v1/deployments/a/stop', { graceMs: -1 }, 'graceMs: expected >=0'],
      ['GET', '/v1/deployments/a/logs?since=x', undefined, 'since: expected a whole number'],
      ['GET', '/v1/deployments/a/logs?tail=100001', undefined, 'tail: expected at most 100000'],
      ['GET', '/v1/deployments/a/logs?follow=yes', undefined, 'follow: expected'],
      ['GET', '/v1/deployments/a/logs?stream=x', undefined, 'stream.0: expected'],
      ['GET', '/v1/deployments/a/logs?since=1&since=2', undefined, 'since: expected one value'],
      ['GET', '/v1/deployments?all=1', undefined, 'all: there is no such field'],
      ['POST', '/v1/deployments/a/start', { graceMs: 1 }, 'graceMs: there is no such field'],
    ]
    for (const [method, path, body, expected] of refusals) {
      const answer = await send(socket, method, path, body && JSON.stringify(body))
      expect(answer.status, `${method} ${path}`).toBeGreaterThanOrEqual(400)
      expect(JSON.stringify(answer.body), `${method} ${path}`).toContain(expected)
    }
  })
})

test.for(['', '.', '..'])('%j is sent as no other request', async (id, { control: { client } }) => {
  const params = { id }
  for (const name of ['GET /v1/deployments/:id', 'POST /v1/deployments/:id/stop'] as const)
    await expect(client.call(name, { params })).rejects.toThrow(
      `${JSON.stringify(id)}: no deployment has this id`,
    )
})

describe('the socket', () => {
  test('is its owner’s alone', ({ control: { path } }) => {
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('takes the place of one that a killed daemon left', async ({
    control: { folder, host },
  }) => {
    const path = join(folder, 'other.sock')
    writeFileSync(path, '')
    const { supervisor } = host
    const options = { path, supervisor, status: testStatus, log: recordingLog().log }
    const server = await startControlServer(options)
    expect(await createControlClient(path, '').call('GET /v1/status')).toEqual(testStatus())
    await server.close()
  })

  test('must have a path that fits', async ({ control: { host } }) => {
    const { supervisor } = host
    const path = `/tmp/${'x'.repeat(110)}`
    const options = { path, supervisor, status: testStatus, log: recordingLog().log }
    expect(await thrownBy(() => startControlServer(options))).toMatchObject({
      kind: 'STATE_UNREACHABLE',
      message: expect.stringContaining('at most 107 bytes'),
    })
  })

  test('that is not there is named, with what to type', async ({ control: { folder } }) => {
    const path = join(folder, 'none.sock')
    const client = createControlClient(path, 'causeway daemon --state X')
    const expected = {
      kind: 'DAEMON_UNREACHABLE',
      message: `${path}: expected the control socket of a daemon, found nothing; start one: causeway daemon --state X`,
    }
    expect(await thrownBy(() => client.call('GET /v1/status'))).toMatchObject(expected)
    expect(
      await thrownBy(() => client.lines('GET /v1/deployments/:id/events', { params: one }).next()),
    ).toMatchObject(expected)
  })
})

describe('a client that stays', () => {
  /** Serves one client at a time on another socket. */
  async function serveOne({ folder, host }: Fixture, headersTimeout: number) {
    const path = join(folder, 'one.sock')
    const limits = { connections: 1, headersTimeout, connectionsCheckingInterval: 50 }
    const { supervisor } = host
    const options = { path, supervisor, status: testStatus, log: recordingLog().log, limits }
    const server = await startControlServer(options)
    const status = () => createControlClient(path, '').call('GET /v1/status')
    return { path, status, [Symbol.asyncDispose]: () => server.close() }
  }

  /** Sends something, reads the answer and keeps its own side open. */
  async function stay(path: string, bytes: string): Promise<{ socket: Socket; answer: string }> {
    const socket = createConnection({ path, allowHalfOpen: true })
    socket.write(bytes)
    let answer = ''
    // Not read as an iterable, which would destroy the socket at its end.
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
    await once(socket, 'end')
    return { socket, answer }
  }

  test.for([
    ['after garbage', 'not http\r\n\r\n', /^HTTP\/1\.1 400 .*INVALID_REQUEST/s],
    ['without a request', 'GET /v1/st', /^HTTP\/1\.1 408 .*TIMEOUT/s],
    ['after a refusal', 'GET /v1/none HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 404 .*NOT_FOUND/s],
  ] as const)('%s keeps no connection', async ([, bytes, expected], { control }) => {
    await using server = await serveOne(control, 100)
    const before = openSockets()
    const { socket, answer } = await stay(server.path, bytes)
    expect(answer).toMatch(expected)
    // Its own end is left: the server has closed the other for good.
    await expect.poll(openSockets, { timeout: 5000 }).toBe(before + 1)
    await expect.poll(() => server.status().catch(String)).toEqual(testStatus())
    socket.destroy()
  })

  test('is answered 503 when there are too many', async ({ control }) => {
    await using server = await serveOne(control, 10_000)
    const idle = openSockets()
    const first = createConnection(server.path)
    await expect.poll(openSockets).toBe(idle + 2)
    const { socket, answer } = await stay(server.path, 'GET /v1/status HTTP/1.1\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*TOO_MANY_CLIENTS.*serves 1 connections already/s)
    await expect.poll(openSockets, { timeout: 5000 }).toBe(idle + 3)
    first.destroy()
    socket.destroy()
    await expect.poll(() => server.status().catch(String)).toEqual(testStatus())
  })
})

test('while deployments are continued, the supervisor says how far that is', async () => {
  await using folder = await temporaryFolder()
  await using earlier = await testSupervisor(folder.path)
  await earlier.deploy('one')
  await earlier.deploy('two')
  await earlier.supervisor.close()
  await using host = await startingSupervisor(folder.path)
  const { supervisor } = host
  expect(supervisor.recovery()).toEqual({ done: 0, total: 2 })
  expect(supervisor.list()).toEqual([])
  expect(() => supervisor.inspect('one')).toThrow('has continued 0 of 2 deployments; try again')
  await supervisor.recovered
  expect(supervisor.recovery()).toBeUndefined()
  expect(supervisor.list().map(({ id }) => id)).toEqual(expect.arrayContaining(['one', 'two']))
})

test('and so do the list and the refusals of the socket', async () => {
  await using folder = await temporaryFolder()
  await using host = await testSupervisor(folder.path)
  const path = join(folder.path, 'control.sock')
  const recovery = { done: 1, total: 2 }
  const message = 'x: the daemon has just started'
  const inspect = () => {
    throw new StartError('DAEMON_STARTING', message)
  }
  const supervisor = { ...host.supervisor, recovery: () => recovery, inspect }
  const log = recordingLog()
  const server = await startControlServer({ path, supervisor, status: testStatus, log: log.log })
  expect((await send(path, 'GET', '/v1/deployments')).body).toEqual({ deployments: [], recovery })
  expect(await send(path, 'GET', '/v1/deployments/x')).toEqual({
    status: 503,
    body: { error: { kind: 'DAEMON_STARTING', message } },
  })
  // It passes: nothing for the log.
  expect(log.lines).toEqual([])
  await server.close()
})

test('one that hangs up before it answers is told as unreachable', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'control.sock')
  // As a daemon that is ending, or one with all the connections that it takes.
  const server = createServer((socket) => socket.destroy()).listen(path)
  await once(server, 'listening')
  const client = createControlClient(path, 'causeway daemon')
  for (let turn = 0; turn < 20; turn++) {
    expect(
      await thrownBy(() => client.call('POST /v1/deployments/:id/stop', { params: one })),
    ).toMatchObject({
      kind: 'DAEMON_UNREACHABLE',
      message: expect.stringMatching(/found one that hung up \((EPIPE|ECONNRESET)\)/) as string,
    })
  }
  server.close()
})

describe('garbage', () => {
  test.for([
    'not http\r\n\r\n',
    'GET /v1/status HTTP/9.9\r\n\r\n',
    'GET /v1/status HTTP/1.1\r\nbad header\r\n\r\n',
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]),
    'POST /v1/deployments HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    'POST /v1/deployments HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  ])(
    'is answered with 400: %j',
    async (bytes, { control: { path, client } }: { control: Fixture }) => {
      const reply = await sendRaw(path, bytes)
      expect(reply).toMatch(/^HTTP\/1\.1 400 /)
      expect(reply).toContain('INVALID_REQUEST')
      expect(await client.call('GET /v1/status')).toEqual(testStatus())
    },
  )

  test.for(['http://other/v1/status', '*', '//', '/v1/deployments/%zz', '/v1/deployments/%00'])(
    'as URL: %s',
    async (url, { control: { path, log } }: { control: Fixture }) => {
      const { status } = await send(path, 'GET', url)
      expect([400, 404]).toContain(status)
      expect(log.lines).toEqual([])
    },
  )

  test('as body', async ({ control: { path } }) => {
    for (const body of ['{', 'null', '[]', '"x"', '{"file":1}']) {
      expect((await send(path, 'POST', '/v1/deployments', body)).status, body).toBe(400)
    }
    const large = JSON.stringify({ file: `/${'x'.repeat(70_000)}` })
    expect(await send(path, 'POST', '/v1/deployments', large)).toEqual({
      status: 413,
      body: { error: { kind: 'TOO_LARGE', message: 'expected at most 65536 bytes' } },
    })
  })
})
