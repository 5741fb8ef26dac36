/**
 * Processes that endlessly connect and hang up, on one form of a bridge's name.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressForm } from './python-client.ts'

const flooder = `
import socket, sys
address = bytes.fromhex(sys.argv[1])
for count in range(2_000_000):
    if count == 1000: print("going", flush=True)
    s = socket.socket(socket.AF_UNIX)
    try: s.connect(address)
    except ConnectionRefusedError: break # the bridge is gone
    s.close()
`

/** Resolves when all of them are running; dispose to end them. */
export async function flood(
  name: string,
  form: AddressForm,
  count: number,
): Promise<AsyncDisposable> {
  const address = Buffer.from(`\0${name}`)
  const bytes = form === 'padded' ? Buffer.concat([address], 108) : address
  const children = Array.from({ length: count }, () =>
    spawn('python3', ['-c', flooder, bytes.toString('hex')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const ended = children.map((child) => once(child, 'close'))
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  return {
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(ended)
    },
  }
}
