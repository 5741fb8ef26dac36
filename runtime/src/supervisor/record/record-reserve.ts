/**
 * Room on the disk that no job can take, for the records of deployments. An end that is in no
 * record is no end: its job could never be told of, and what it wrote would fill the disk for ever.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { createQueues } from '@causeway/service/turns'

export interface RecordReserve {
  /** Writes; on a full disk again, in the room of the reserve. @throws what the second try throws */
  write(work: () => Promise<void>): Promise<void>
}

/** More than a record with a full history. */
export const reserveBytes = 256 * 1024

/** Takes the room, or as much of it as there is. */
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
      // What was lacking may be there by now. Nobody waits for it.
      if (held < reserveBytes) void queues.run(path, refill)
    },
  }
}

/** Whether a disk, or a user's share of it, has no room left. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}

/** Makes it as large as it can be; what is there of it stays. @returns its size */
async function fill(path: string): Promise<number> {
  // The size says how much of it is there; a disk that takes nothing has its say where it matters.
  await append(path).catch(() => {})
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function append(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat()
    // Random: a file system may compress what it is given, or leave it out.
    if (size < reserveBytes) await file.appendFile(randomBytes(reserveBytes - size))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** In the file's place there is room once this resolves. */
async function empty(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
