/**
 * Locks between our processes on one host: one changes its network at a time, the last cleans up.
 *
 * The kernel releases a lock when its process ends. Each network namespace has its own lock files,
 * because daemons in different namespaces may share `/run`.
 * @module
 */
import { readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { closeFd, lockFile } from '@causeway/native/process'
import { hostFolder } from '../state/host-folder.ts'
import { StartError } from '../errors/start-error.ts'

const retryMs = 20
const longestWaitMs = 30_000

/** Runs `work` while no other process runs theirs. @throws StartError when that takes too long */
export async function alone<Value>(work: () => Promise<Value>): Promise<Value> {
  const fd = await lock(pathOf('changes'))
  return work().finally(() => closeFd(fd))
}

async function lock(path: string): Promise<number> {
  for (let waited = 0; ; waited += retryMs) {
    const fd = lockFile(path)
    if (fd !== undefined) return fd
    if (waited >= longestWaitMs) throw busy(path)
    await pause(retryMs)
  }
}

/** Registers this process as a user of the network; only within `alone`. @returns ends that */
export function becomeUser(): () => void {
  const path = pathOf('users')
  const fd = lockFile(path, 'shared')
  if (fd === undefined) throw busy(path)
  return () => closeFd(fd)
}

/** A StartError: callers must not take a busy network for a missing one and do without it. */
function busy(path: string): StartError {
  return new StartError('NETWORK_UNAVAILABLE', `${path}: another process holds this lock`)
}

/** Whether no process uses the network any more; only within `alone`. */
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
