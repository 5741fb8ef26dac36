import { setTimeout as pause } from 'node:timers/promises'
import { closeFd, lockFile } from '@causeway/native/process'

/** Does something while no other process does it, by a lock that ends with its holder. */
export async function oneAtATime<Value>(lock: string, work: () => Promise<Value>): Promise<Value> {
  let fd = lockFile(lock)
  while (fd === undefined) {
    await pause(100)
    fd = lockFile(lock)
  }
  try {
    return await work()
  } finally {
    closeFd(fd)
  }
}
