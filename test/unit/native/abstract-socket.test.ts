import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import net from 'node:net'
import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { bindAbstract, maxAbstractNameBytes } from '@causeway/native'
import { closeFd } from '@causeway/native/process'
import type { AbstractForm } from '@causeway/native'
import { ended, isInstalled } from './job.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A server on the name that sends every line back. */
async function serve(name: string, form: AbstractForm) {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', (line) => socket.end(line))
  })
  servers.push(server)
  server.listen({ fd: bindAbstract(name, form) }, 4096)
  await once(server, 'listening')
}

// The address is given as the exact bytes to connect to, half-closed after the line.
const pythonClient = `
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(bytes.fromhex(sys.argv[1]))
s.sendall(b"hello\\n")
s.shutdown(socket.SHUT_WR)
print(s.recv(4096).decode(), end='')
`

const nodeClient = `
const socket = require('node:net').createConnection('\\0' + process.argv[1])
socket.on('data', (line) => process.stdout.write(line))
socket.on('error', (error) => console.log(error.code))
socket.write('hello\\n')
`

/** Runs a client, and gives what it got. */
async function ask(command: string, args: string[]) {
  return (await ended(spawn(command, args))).stdout
}

const uniqueName = () => `causeway-test-${randomUUID()}`

/** The form that `net.createConnection('\0' + name)` of this Node reaches. */
const nodeReaches: AbstractForm = process.versions.node.startsWith('20.') ? 'padded' : 'exact'

const otherNode = (name: string) =>
  fileURLToPath(new URL(`../../node-versions/node_modules/${name}/bin/node`, import.meta.url))
const otherNodes = [
  { version: '20.9', path: otherNode('node-20'), form: 'padded' },
  { version: '24', path: otherNode('node-24'), form: 'exact' },
] as const

describe('bindAbstract', () => {
  it.skipIf(!isInstalled('python3'))('answers a client at exactly the name', async () => {
    const name = uniqueName()
    await serve(name, 'exact')
    const address = Buffer.from(`\0${name}`).toString('hex')
    expect(await ask('python3', ['-c', pythonClient, address])).toBe('hello\n')
  })

  it.skipIf(!isInstalled('python3'))('answers a client at the padded name', async () => {
    const name = uniqueName()
    await serve(name, 'padded')
    const address = Buffer.from(`\0${name}`.padEnd(108, '\0')).toString('hex')
    expect(await ask('python3', ['-c', pythonClient, address])).toBe('hello\n')
  })

  it("answers this Node's own client", async () => {
    const name = uniqueName()
    await serve(name, nodeReaches)
    expect(await ask(process.execPath, ['-e', nodeClient, name])).toBe('hello\n')
  })

  it.each(otherNodes.filter(({ path }) => existsSync(path)))(
    'answers Node $version at the $form name',
    async ({ path, form }) => {
      const name = uniqueName()
      await serve(name, form)
      expect(await ask(path, ['-e', nodeClient, name])).toBe('hello\n')
    },
  )

  it('has both forms of one name at the same time', async () => {
    const name = uniqueName()
    await Promise.all([serve(name, 'exact'), serve(name, 'padded')])
    expect(await ask(process.execPath, ['-e', nodeClient, name])).toBe('hello\n')
  })

  it('says that an address is taken as Node would', () => {
    const name = uniqueName()
    const fd = bindAbstract(name, 'exact')
    expect(() => bindAbstract(name, 'exact')).toThrowError(
      expect.objectContaining({
        message: 'bind EADDRINUSE: address already in use',
        code: 'EADDRINUSE',
        errno: -98,
        syscall: 'bind',
      }),
    )
    closeFd(fd)
  })

  it('gives the address back when it is closed', () => {
    const name = uniqueName()
    closeFd(bindAbstract(name, 'exact'))
    expect(() => closeFd(bindAbstract(name, 'exact'))).not.toThrow()
  })

  it.each([
    [1, '\u0001'],
    [106, 'é' + randomUUID().repeat(3).slice(0, 104)],
    [107, 'é' + randomUUID().repeat(3).slice(0, 105)],
  ])('takes a name of %d bytes', (length, name) => {
    expect(Buffer.byteLength(name)).toBe(length)
    closeFd(bindAbstract(name, 'exact'))
    closeFd(bindAbstract(name, 'padded'))
  })

  it.each([
    ['0 bytes', '', RangeError, 'name must be 1 to 107 bytes of UTF-8, got 0'],
    ['108 bytes', 'x'.repeat(108), RangeError, 'name must be 1 to 107 bytes of UTF-8, got 108'],
    ['108 bytes in 54 letters', 'é'.repeat(54), RangeError, /got 108/],
    ['NUL', 'a\0b', RangeError, 'name must not contain NUL'],
    ['a lone surrogate', 'a\ud800', RangeError, 'name must be well-formed Unicode'],
    ['no string', 5 as unknown as string, TypeError, 'name must be a string'],
  ])('refuses a name with %s', (_what, name, kind, message) => {
    expect(() => bindAbstract(name, 'exact')).toThrowError(kind)
    expect(() => bindAbstract(name, 'exact')).toThrowError(message)
  })

  it('refuses another form or backlog', () => {
    expect(() => bindAbstract('x', 'other' as 'exact')).toThrowError(/^form must be/)
    expect(() => bindAbstract('x', 'exact', -1)).toThrowError(/^backlog must be an integer/)
    expect(() => bindAbstract('x', 'exact', 1.5)).toThrowError(/^backlog must be an integer/)
    expect(() => bindAbstract('x', 'exact', '1' as unknown as number)).toThrowError(TypeError)
  })

  it('has no name longer than the constant says', () => {
    expect(maxAbstractNameBytes).toBe(107)
  })
})
