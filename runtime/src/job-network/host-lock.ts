/**
 * Processes of ours that share a host's network: one changes it at a time, and the last one cleans up.
 *
 * Locks go with their holder, whatever ends it. They are files for each network namespace: daemons in
 * different ones may share `/run`.
 * @module
 */
import { readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { closeFd, lockFile } from '@causeway/native'
import { hostFolder } from '../state/host-folder.ts'
import { StartError } from '../errors/start-error.ts'

const retryMs = 20
const longestWaitMs = 30_000

/** Does something while no other process does. @throws StartError when another one goes on for too long */
export async function alone<Value>(work: () => Promise<Value>): Promise<Value> {
  const fd = await lock(pathOf('changes'))
  try {
    return await work()
  } finally {
    closeFd(fd)
  }
}

async function lock(path: string): Promise<number> {
  for (let waited = 0; ; waited += retryMs) {
    const fd = lockFile(path)
    if (fd !== undefined) return fd
    if (waited >= longestWaitMs) throw busy(path)
    await pause(retryMs)
  }
}

/** Counts as a user of the host's network until it is closed. Only while `alone`. */
export function becomeUser(): () => void {
  const path = pathOf('users')
  const fd = lockFile(path, 'shared')
  if (fd === undefined) throw busy(path)
  return () => closeFd(fd)
}

/** What is only busy is not missing: nobody goes on with less because of it. */
function busy(path: string): StartError {
  return new StartError('NETWORK_UNAVAILABLE', `${path}: another process holds it`)
}

/** Whether there is no user any more. Only while `alone`. */
export function isUnused(): boolean {
  const path = pathOf('users')
  const fd = lockFile(path)
  if (fd === undefined) return false
  rmSync(path, { force: true })
  closeFd(fd)
  return true
}

function pathOf(name: string): string {
  const namespace = readlinkSync('/proc/self/ns/net').replaceAll(/\D/g, '')
  return join(hostFolder('network'), `${name}-${namespace}`)
}
