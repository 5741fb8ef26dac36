/**
 * Reserves disk space for records that no job can use up. If the end of an execution could not be
 * recorded, it could not be reported, and its files would fill the disk forever.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { createQueues } from '@causeway/service/turns'
import { isFull } from '../../errors/host-fault.ts'

export interface RecordReserve {
  /** Runs `work`, on a full disk again in the reserved space. @throws the second error */
  write(work: () => Promise<void>): Promise<void>
}

/** More than the size of a record with a full history. */
export const reserveBytes = 256 * 1024

/** Reserves the space, or as much of it as there is. */
export async function openRecordReserve(path: string): Promise<RecordReserve> {
  const queues = createQueues()
  let held = await fill(path)
  const refill = async () => void (held = await fill(path))
  const writeInstead = async (work: () => Promise<void>) => {
    try {
      await empty(path)
      await work()
    } finally {
      await refill()
    }
  }
  return {
    async write(work) {
      try {
        await work()
      } catch (error) {
        if (!isFull(error)) throw error
        return queues.run(path, () => writeInstead(work))
      }
      // Refills an incomplete reserve in the background: there may be space again.
      if (held < reserveBytes) void queues.run(path, refill)
    },
  }
}

/** Fills the file up to its size as far as possible. @returns its size */
async function fill(path: string): Promise<number> {
  // Ignores errors: the size shows how much was reserved, and the record's own write reports them.
  await append(path).catch(() => {})
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function append(path: string): Promise<void> {
  await using file = await open(path, 'a', 0o600)
  const { size } = await file.stat()
  // Random bytes: a file system may compress others, or not store them.
  if (size < reserveBytes) await file.appendFile(randomBytes(reserveBytes - size))
  await file.sync()
}

/** Empties the file; its space is free once this resolves. */
async function empty(path: string): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.sync()
}
