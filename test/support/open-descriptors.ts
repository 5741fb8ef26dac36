import { readdirSync, readlinkSync } from 'node:fs'

/** Open sockets of this process. */
export function openSockets(): number {
  return readdirSync('/proc/self/fd').filter(isSocket).length
}

function isSocket(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:')
  } catch {
    // The descriptor that listed the folder is closed by now.
    return false
  }
}
