/** Network namespaces (network_namespaces(7)). @module */
import { addon } from '../addon.ts'
import { checkAddress, checkDescriptor, checkInteger } from '../arguments.ts'
import { checked } from '../system-error.ts'

/**
 * Makes a network namespace with only a loopback interface, in which ordinary users may bind every
 * port and send pings. The host's root owns it.
 *
 * @returns a close-on-exec descriptor; the namespace disappears with its last descriptor and its
 *   last process, whatever happens to ours
 * @throws SystemError, such as `EPERM`
 */
export function createNetwork(): number {
  return checked('unshare', addon().createNetwork())
}

/**
 * Forbids processes of a control group to send many datagrams as one packet (UDP_SEGMENT, udp(7)),
 * which packet rules and queues would count as one: they get `EPERM`. It lasts until the group is
 * removed.
 *
 * @param folder of a group of version 2
 * @throws SystemError, such as `EPERM`
 */
export function refuseSegments(folder: string): void {
  checked('bpf', addon().refuseSegments(folder))
}

/**
 * Checks whether this process could `refuseSegments` to a group.
 *
 * @throws SystemError, such as `EPERM`
 */
export function loadSegmentGuard(): void {
  checked('bpf', addon().loadSegmentGuard())
}

/** Node's own; it listens again with that of `server.listen({ fd }, backlog)`. */
const backlog = 511
const maxPort = 65_535

/**
 * Begins a TCP connection in a network namespace. Adopt it with
 * `new net.Socket({ fd, readable: true, writable: true })`: what is written waits until it is
 * connected, and a failure comes as that socket's `error`. It emits no `connect`.
 *
 * @param network descriptor of the namespace; undefined: our own
 * @param address IPv4 or IPv6, without a zone
 * @param port 1 to 65535
 * @returns a descriptor (non-blocking, close-on-exec)
 * @throws TypeError or RangeError naming the argument; SystemError, such as `ENETUNREACH`, or
 *   `EPERM` without the right to enter the namespace
 */
export function connectIn(network: number | undefined, address: string, port: number): number {
  checkPlace(network, address)
  checkInteger(port, 'port', 1, maxPort)
  return checked('connect', addon().connectIn(network ?? -1, address, port))
}

/**
 * Listens for TCP connections in a network namespace. Adopt it with `server.listen({ fd })`.
 *
 * @param network descriptor of the namespace; undefined: our own
 * @param address IPv4 or IPv6, without a zone
 * @param port 0 to 65535; 0: any free one
 * @returns a descriptor (non-blocking, close-on-exec)
 * @throws TypeError or RangeError naming the argument; SystemError, such as `EADDRINUSE`, or
 *   `EPERM` without the right to enter the namespace
 */
export function listenIn(network: number | undefined, address: string, port: number): number {
  checkPlace(network, address)
  checkInteger(port, 'port', 0, maxPort)
  return checked('listen', addon().listenIn(network ?? -1, address, port, backlog))
}

function checkPlace(network: number | undefined, address: string): void {
  if (network !== undefined) checkDescriptor(network, 'network')
  checkAddress(address)
}
