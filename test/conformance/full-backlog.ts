/**
 * An abstract address whose listener has no room for another client: connecting is not refused, but
 * impossible for now (EAGAIN). A Node server accepts every client, a Python one need not.
 * @module
 */
import { once } from 'node:events'
import type { AddressForm } from './kit/src/address.ts'
import { start } from '../support/causeway.ts'

const program = `
import signal, socket, sys
address = b'\\0' + sys.argv[1].encode()
if sys.argv[2] == 'padded': address = address.ljust(108, b'\\0')
server = socket.socket(socket.AF_UNIX)
server.bind(address)
server.listen(0)
clients = []
while not clients or clients[-1].connect_ex(address) == 0:
    clients.append(socket.socket(socket.AF_UNIX))
    clients[-1].setblocking(False)
print('full', flush=True)
signal.pause()
`

/** Listens until disposed. */
export async function fillBacklog(name: string, form: AddressForm): Promise<AsyncDisposable> {
  const { child, finished } = start('python3', ['-c', program, name, form])
  const failed = finished.then(({ stderr }) => Promise.reject(new Error(stderr)))
  await Promise.race([once(child.stdout!, 'data'), failed])
  failed.catch(() => {})
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await finished
    },
  }
}
