/**
 * Network namespaces (network_namespaces(7)).
 *
 * @module
 */
import { addon } from './addon.ts'
import { checked } from './system-error.ts'

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
