/**
 * Many connections of another process, each with a request in its queue before it is accepted; the
 * clients keep them open.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const crowd = `
import socket, sys
address, count = bytes.fromhex(sys.argv[1]), int(sys.argv[2])
held = []
for _ in range(count):
    s = socket.socket(socket.AF_UNIX)
    s.connect(address)
    try: s.sendall(b'{"jsonrpc":"2.0"' + b' ' * 1000)
    except BrokenPipeError: pass # refused and closed already; the reply can still be read
    held.append(s)
replies = [s.recv(65536) for s in held]
print(sum(1 for r in replies if r), flush=True)
sys.stdin.read()
`

/** Resolves when every connection has its reply; dispose to close them. */
export async function holdConnections(
  name: string,
  count: number,
): Promise<AsyncDisposable & { replies: number }> {
  const address = Buffer.from(`\0${name}`).toString('hex')
  const child = spawn('python3', ['-c', crowd, address, String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    replies: Number(line.toString()),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
