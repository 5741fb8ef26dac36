/**
 * Listening sockets of the bridge: abstract AF_UNIX names that Node's `net` cannot bind exactly.
 *
 * @module
 */
import { addon } from './addon.ts'
import { checkInteger } from './arguments.ts'
import { checked } from './system-error.ts'

/**
 * Length of the bound address. `exact`: NUL and the name, as all clients but Node 20 connect.
 * `padded`: filled with NULs to the 108 bytes of sun_path, the only form that Node 20.9-20.x
 * reaches.
 */
export type AbstractForm = 'exact' | 'padded'

/** The peer of a connected AF_UNIX socket, as the kernel recorded it at connect. */
export interface PeerCredentials {
  pid: number
  uid: number
  gid: number
}

/** Size of sun_path on Linux (unix(7)). */
const sunPathBytes = 108

/** Longest name: sun_path without the leading NUL that makes an address abstract. */
export const maxAbstractNameBytes = sunPathBytes - 1

/**
 * Binds the abstract address `\0name` and listens on it.
 *
 * Adopt it with `net.createServer({ allowHalfOpen: true }).listen({ fd })`, which then owns it. A
 * name of 107 bytes has the same address in both forms, so only one of them can be bound.
 *
 * @param name 1 to 107 bytes of UTF-8, without NUL.
 * @param backlog Pending connections; Node 20 calls listen(2) again with its own 511 unless
 *   `listen({ fd }, backlog)` names one.
 * @param network Descriptor of the network namespace to listen in; default: our own. An abstract
 *   name is visible in one namespace only.
 * @returns the listening descriptor (stream, non-blocking, close-on-exec).
 * @throws TypeError or RangeError naming the argument; SystemError such as `EADDRINUSE`.
 */
export function bindAbstract(
  name: string,
  form: AbstractForm,
  backlog = 4096,
  network?: number,
): number {
  const sunPath = abstractAddress(name, form)
  checkInteger(backlog, 'backlog', 0, 0x7fffffff)
  if (network !== undefined) checkInteger(network, 'network', 0, 0x7fffffff)
  const fd = checked('socket', addon().socket(network ?? -1))
  try {
    checked('bind', addon().bind(fd, sunPath))
    checked('listen', addon().listen(fd, backlog))
  } catch (error) {
    addon().close(fd)
    throw error
  }
  return fd
}

function abstractAddress(name: string, form: AbstractForm): Uint8Array {
  const bytes = nameBytes(name)
  if (form !== 'exact' && form !== 'padded') throw new TypeError("form must be 'exact' or 'padded'")
  const address = new Uint8Array(form === 'padded' ? sunPathBytes : 1 + bytes.length)
  address.set(bytes, 1)
  return address
}

function nameBytes(name: string): Uint8Array {
  if (typeof name !== 'string') throw new TypeError('name must be a string')
  if (name.includes('\0')) throw new RangeError('name must not contain NUL')
  const bytes = Buffer.from(name, 'utf8')
  // A lone surrogate would silently become U+FFFD, that is, a different name.
  if (bytes.toString('utf8') !== name) throw new RangeError('name must be well-formed Unicode')
  if (bytes.length < 1 || bytes.length > maxAbstractNameBytes) {
    throw new RangeError(
      `name must be 1 to ${maxAbstractNameBytes} bytes of UTF-8, got ${bytes.length}`,
    )
  }
  return bytes
}
