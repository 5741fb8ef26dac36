/**
 * An independent client: Node's own client would agree with Node's server on a wrong address form.
 * @module
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The address exactly as given, `\0name` or the form padded with NULs to 108 bytes. */
export type AddressForm = 'exact' | 'padded'

const client = `
import socket, sys
address, line, half_close = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2]), sys.argv[3]
s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect(address)
s.sendall(line)
if half_close == "true": s.shutdown(socket.SHUT_WR)
reply = b""
while chunk := s.recv(65536): reply += chunk
sys.stdout.buffer.write(reply)
`

export interface PythonOptions {
  form?: AddressForm
  halfClose?: boolean
  /** Runs the client as this user; root only. */
  uid?: number
}

/** Sends one text; resolves with the reply's bytes, or rejects with Python's output. */
export async function askWithPython(
  name: string,
  line: string,
  { form = 'exact', halfClose = false, uid }: PythonOptions = {},
): Promise<string> {
  const address = Buffer.from(`\0${name}`)
  const padded = Buffer.concat([address, Buffer.alloc(108 - address.length)])
  const hex = (form === 'padded' ? padded : address).toString('hex')
  const user = uid === undefined ? {} : { uid, gid: uid }
  const args = ['-c', client, hex, Buffer.from(line).toString('hex'), String(halfClose)]
  const child = spawn('python3', args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], ...user })
  const [reply, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (errors) throw new Error(errors)
  return reply
}
