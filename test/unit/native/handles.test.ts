import { createHash, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  closeFd,
  connectIn,
  createEgress,
  createNetwork,
  listenIn,
  loadSigner,
  openNetworkHandle,
} from '@causeway/native'
import { buildConsumer, handleKinds } from '../../support/handle-consumer.ts'
import { isRoot } from './job.ts'

const consumer = buildConsumer()
const shutdown = -108
const unlimited = { refused: ['10.0.0.0/8'], opened: [], connectionsPerSecond: 1, burst: 1 }
const signer = loadSigner()
const key = Buffer.alloc(32, 7)
const message = Buffer.from('what is signed')
const digest = createHash('sha256').update(message).digest()

function openKeys() {
  const keys = signer.openKeys()
  keys.setKey(0, key)
  return keys
}

/** The consumer's number of a handle. */
function hold(kind: keyof typeof handleKinds, value: unknown): number {
  const held = consumer.hold(handleKinds[kind], value)
  expect(held).toBeGreaterThanOrEqual(0)
  return held
}

const adopt = (fd: number) => new net.Socket({ fd, readable: true, writable: true })

async function serve(fd: number, word: string): Promise<number> {
  const server = net.createServer((socket) => socket.end(word)).listen({ fd })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as net.AddressInfo).port
}

describe('a handle', () => {
  it('is taken for nothing but what it is', () => {
    const handles = {
      network: openNetworkHandle(undefined).handle,
      signer: openKeys().openHandle(0).handle,
      egress: createEgress(unlimited).handle,
    }
    const others = [undefined, null, 0, 'x', {}, () => {}]
    for (const [name, kind] of Object.entries(handleKinds)) {
      const takes = (value: unknown) => consumer.hold(kind, value) >= 0
      expect(Object.entries(handles).filter(([, value]) => takes(value))).toHaveLength(1)
      expect(takes(handles[name as keyof typeof handles])).toBe(true)
      expect(others.filter(takes)).toEqual([])
    }
  })
})

describe('the handle of a network', () => {
  it.runIf(isRoot)('connects and listens inside, and its thread comes back', async () => {
    const fd = createNetwork()
    const { handle } = openNetworkHandle(fd)
    const network = hold('network', handle)
    for (const address of ['127.0.0.1', '::1']) {
      const inside = await serve(listenIn(fd, address, 0), 'inside')
      expect(await text(adopt(consumer.connect(network, address, inside)))).toBe('inside')
      const own = await serve(consumer.listen(network, address, 0), 'own')
      expect(await text(adopt(connectIn(fd, address, own)))).toBe('own')
      const [error] = await once(adopt(connectIn(undefined, address, own)), 'error')
      expect(error).toMatchObject({ code: 'ECONNREFUSED' })
    }
    const [unreachable, taken] = [-101, -98]
    expect(consumer.connect(network, '192.0.2.1', 80)).toBe(unreachable)
    const port = await serve(listenIn(fd, '127.0.0.1', 0), '')
    expect(consumer.listen(network, '127.0.0.1', port)).toBe(taken)
    closeFd(fd)
    // It has a descriptor of its own.
    expect(await text(adopt(consumer.connect(network, '127.0.0.1', port)))).toBe('')
    consumer.letGo(network)
  })

  it('of the host is open until it is closed, whoever holds it', async () => {
    const host = openNetworkHandle(undefined)
    const network = hold('network', host.handle)
    const port = await serve(consumer.listen(network, '127.0.0.1', 0), 'host')
    expect(await text(adopt(consumer.connect(network, '127.0.0.1', port)))).toBe('host')
    host.close()
    host.close()
    expect(consumer.connect(network, '127.0.0.1', port)).toBe(shutdown)
    expect(consumer.listen(network, '127.0.0.1', 0)).toBe(shutdown)
    consumer.letGo(network)
    expect(consumer.connect(hold('network', host.handle), '127.0.0.1', port)).toBe(shutdown)
  })

  it('is of a network, and of nothing else', () => {
    const fd = openSync('/dev/null', 'r')
    const mounts = openSync('/proc/self/ns/mnt', 'r')
    expect(() => openNetworkHandle(fd)).toThrowError(/^setns EINVAL/)
    expect(() => openNetworkHandle(mounts)).toThrowError(/^setns EINVAL/)
    closeSync(fd)
    closeSync(mounts)
    expect(() => openNetworkHandle(1_000_000)).toThrowError(/^setns EBADF/)
    expect(() => openNetworkHandle(-1)).toThrowError(/^network must be/)
  })
})

describe('the handle of a signer', () => {
  it('signs what verifies, as the deployment itself signs it, and counts what for', () => {
    const keys = openKeys()
    const own = keys.openHandle(0)
    const held = hold('signer', own.handle)
    const publicKey = consumer.publicKey(held)
    expect(publicKey).toEqual(keys.publicKey(0))
    const signatures = [0, 1, 2, 2].map((purpose) => consumer.sign(held, purpose, digest))
    for (const signature of signatures) expect(signature).toEqual(keys.sign(0, digest))
    expect(verifies(publicKey as Buffer, signatures[0] as Buffer)).toBe(true)
    expect([3, -1].map((purpose) => consumer.sign(held, purpose, digest))).toEqual([-22, -22])
    expect(own.uses()).toEqual({ registration: 1, certificate: 1, handshake: 2 })
    expect(own.uses()).toEqual({ registration: 0, certificate: 0, handshake: 0 })
  })

  it.each([
    ['it is closed', (_keys: Keys, own: Handle) => own.close()],
    ['the keys are destroyed', (keys: Keys) => keys.destroy()],
  ])('is an empty shell when %s, also while it signs', (_when, end) => {
    const keys = openKeys()
    const own = keys.openHandle(0)
    const held = hold('signer', own.handle)
    consumer.beginSigning(held)
    while (own.uses().handshake === 0);
    end(keys, own)
    expect(consumer.awaitSigning()).toBe(shutdown)
    own.uses()
    expect([consumer.sign(held, 0, digest), consumer.publicKey(held)]).toEqual([shutdown, shutdown])
    expect(own.uses()).toEqual({ registration: 0, certificate: 0, handshake: 0 })
    own.close()
    keys.destroy()
    expect(consumer.sign(hold('signer', own.handle), 0, digest)).toBe(shutdown)
    consumer.letGo(held)
  })

  it('keeps its key when the deployment gets another one or opens more handles', () => {
    const keys = openKeys()
    const before = keys.publicKey(0)
    const held = hold('signer', keys.openHandle(0).handle)
    keys.setKey(0, Buffer.alloc(32, 8))
    keys.openHandle(0).close()
    expect(consumer.publicKey(held)).toEqual(before)
    expect(consumer.publicKey(hold('signer', keys.openHandle(0).handle))).toEqual(keys.publicKey(0))
  })

  it('is of the p256 signing key, and there must be one', () => {
    const keys = openKeys()
    expect(() => keys.openHandle(1)).toThrowError(/^slot must be an integer from 0 to 0, got 1/)
    expect(() => signer.openKeys().openHandle(0)).toThrowError(/failed, or its keys/)
    keys.destroy()
    expect(() => keys.openHandle(0)).toThrowError(/keys have been destroyed/)
  })
})

describe('the handle of an egress', () => {
  it('is the same egress', () => {
    const egress = createEgress(unlimited)
    const held = hold('egress', egress.handle)
    expect(consumer.take(held, '8.8.8.8')).toBe(0)
    expect(egress.take('8.8.8.8')).toBeGreaterThan(0)
    expect(consumer.take(held, '2606:4700::1111')).toBeGreaterThan(1000)
    expect(consumer.take(held, '::ffff:10.0.0.1')).toBe(-1)
    egress.admit([{ address: '8.8.8.8', ms: 60_000 }])
    expect(consumer.take(held, '::ffff:8.8.8.8')).toBe(0)
    expect(egress.counters()).toEqual({ admitted: 1, limited: 2, refused: 1 })
    consumer.letGo(held)
  })
})

type Keys = ReturnType<typeof openKeys>
type Handle = ReturnType<Keys['openHandle']>

/** SubjectPublicKeyInfo of a compressed P-256 point. */
function verifies(point: Buffer, signature: Buffer): boolean {
  const head = '3039301306072a8648ce3d020106082a8648ce3d030107032200'
  const der = Buffer.concat([Buffer.from(head, 'hex'), point])
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)
}
