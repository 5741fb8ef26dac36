/**
 * Network namespaces (network_namespaces(7)).
 *
 * @module
 */
import { addon } from './addon.ts'
import { checked } from './system-error.ts'

/**
 * Makes a network namespace with nothing but its loopback, in which ordinary users may bind every
 * port and send pings. It belongs to root of the host.
 *
 * @returns a descriptor (close-on-exec); the namespace goes with the last one and the last process
 *   in it, whatever becomes of ours
 * @throws SystemError, such as `EPERM`
 */
export function createNetwork(): number {
  return checked('unshare', addon().createNetwork())
}

/**
 * Keeps processes of a control group from sending many datagrams as one packet (UDP_SEGMENT, udp(7)),
 * which packet rules and queues would count as one: `EPERM` to who tries. For as long as the group is
 * there.
 *
 * @param folder of a group of version 2
 * @throws SystemError, such as `EPERM`
 */
export function refuseSegments(folder: string): void {
  checked('bpf', addon().refuseSegments(folder))
}
