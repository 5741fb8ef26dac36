import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { echoPort, publicAddress } from '../../../support/network-lab.ts'
import { canShare, sharedTestMs, sharedTests } from '../../../support/shared-networks.ts'

const bytesPerSecond = 100_000
const byteBurst = 150_000
const test = sharedTests({ bytesPerSecond, byteBurst })

/** Bytes that the limit allows since then, with the headers of one more packet. */
const mostSince = (started: number) =>
  byteBurst + (bytesPerSecond * (Date.now() - started)) / 1000 + 1000

describe.skipIf(!canShare)('a job in the network of its host', { timeout: sharedTestMs }, () => {
  test.for(['pour-tcp', 'pour-udp'])(
    'sends no more bytes than the limit by %s',
    async (command, { shared }) => {
      await using job = await shared.job()
      const address = publicAddress(command === 'pour-tcp' ? 1 : 2)
      const started = Date.now()
      await job.probe(command, address, echoPort, '--ms=1500')
      const octets = await shared.lab.server.octets(address)
      expect(octets).toBeGreaterThan(byteBurst / 2)
      expect(octets).toBeLessThan(mostSince(started))
    },
  )

  test('sends as much as it likes to admitted addresses', async ({ shared }) => {
    await using job = await shared.job()
    const address = publicAddress(3)
    await job.admit([{ address, seconds: 60 }])
    await job.probe('pour-tcp', address, echoPort, '--ms=500')
    expect(await shared.lab.server.octets(address)).toBeGreaterThan(100 * byteBurst)
  })

  test('sends no more through sockets that it has closed', async ({ shared }) => {
    await using job = await shared.job()
    const address = publicAddress(4)
    const script = `import socket, time
for _ in range(20):
    s = socket.create_connection(("${address}", ${echoPort}))
    s.setblocking(False)
    try:
        while True: s.send(b"x" * 65536)
    except BlockingIOError: pass
    s.close()
time.sleep(1)`
    const started = Date.now()
    const { stderr } = await job.run('/usr/bin/python3', '-c', script)
    expect(stderr).toBe('')
    const octets = await shared.lab.server.octets(address)
    expect(octets).toBeGreaterThan(byteBurst / 2)
    expect(octets).toBeLessThan(mostSince(started))
  })

  test('sends no more after it has ended', async ({ shared }) => {
    await using job = await shared.job()
    const address = publicAddress(6)
    // Several sockets, because the kernel retransmits slowly at first.
    const script = `import socket
for _ in range(40):
    s = socket.create_connection(("${address}", ${echoPort}))
    s.setblocking(False)
    try:
        while True: s.send(b"x" * 65536)
    except BlockingIOError: pass`
    const started = Date.now()
    await job.run('/usr/bin/python3', '-c', script)
    await job.release()
    await job[Symbol.asyncDispose]()
    await pause(3000)
    const octets = await shared.lab.server.octets(address)
    expect(octets).toBeGreaterThan(byteBurst / 2)
    expect(octets).toBeLessThan(mostSince(started))
  })

  test('gets no more bytes than the limit', async ({ shared }) => {
    await using job = await shared.job()
    // The job asks for little, and the server sends much.
    const server = `import socket
s = socket.create_server(("0.0.0.0", 8200))
print("ready", flush=True)
c = s.accept()[0]
try:
    while True: c.send(b"x" * 65536)
except OSError: pass`
    await using _serving = await shared.start('internet', '/usr/bin/python3', '-c', server)
    const client = `import socket, time
s = socket.create_connection(("${publicAddress(5)}", 8200))
end, got = time.time() + 1.5, 0
while time.time() < end: got += len(s.recv(65536))
print(got)`
    const started = Date.now()
    const { stdout } = await job.run('/usr/bin/python3', '-c', client)
    expect(Number(stdout)).toBeGreaterThan(byteBurst / 2)
    expect(Number(stdout)).toBeLessThan(mostSince(started))
  })
})
