/**
 * Clients in another language that sign one digest after the other, and report each signature they
 * get until the bridge is gone.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const signers = `
import json, os, socket, sys, threading
address = bytes.fromhex(sys.argv[1])
def sign_without_end(curve):
    while True:
        digest = os.urandom(32).hex()
        request = {'jsonrpc': '2.0', 'id': '1', 'method': 'signer_sign',
                   'params': [{'curve': curve, 'bytes': digest}]}
        reply = b''
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(address)
                s.sendall(json.dumps(request).encode() + b'\\n')
                while chunk := s.recv(65536): reply += chunk
        except OSError:
            return
        if not reply.endswith(b'\\n'): return
        if 'result' in json.loads(reply): os.write(1, digest.encode() + b'\\n')
curves = ['p256', 'secp256k1', 'ed25519', 'p256', 'secp256k1', 'p256', 'p256', 'p256']
threads = [threading.Thread(target=sign_without_end, args=(curve,)) for curve in curves]
for thread in threads: thread.start()
for thread in threads: thread.join()
`

/**
 * Runs eight such threads against a bridge.
 * @param enough called once, when so many signatures have been received
 * @returns the digests whose signature a client has got, when all clients have ended
 */
export async function signUntilGone(
  socket: string,
  count: number,
  enough: () => void,
): Promise<string[]> {
  const address = Buffer.from(`\0${socket}`).toString('hex')
  const child = spawn('python3', ['-c', signers, address], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const digests: string[] = []
  for await (const digest of createInterface({ input: child.stdout })) {
    digests.push(digest)
    if (digests.length === count) enough()
  }
  await ended
  return digests
}
