/**
 * What the guest's init reports: records of 8 bytes on a descriptor that the job does not have.
 * @module
 */
import type { Readable } from 'node:stream'

const recordBytes = 8

/** Letters of the records, with what their number means. */
export interface InitReport {
  /** The main process runs: its pid as its own namespace counts. */
  onStarted(pid: number): void
  /** The entrypoint could not be executed. */
  onStartFailed(errno: number): void
  /** Raw wait(2) status of the main process. */
  onExited(waitStatus: number): void
}

/** Calls back for every record of the stream, whatever pieces it comes in. */
export function readRecords(stream: Readable, report: InitReport): void {
  let pending = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (; pending.length >= recordBytes; pending = pending.subarray(recordBytes)) {
      dispatch(String.fromCharCode(pending[0] ?? 0), pending.readUInt32LE(4), report)
    }
  })
}

function dispatch(letter: string, value: number, report: InitReport): void {
  if (letter === 'S') report.onStarted(value)
  else if (letter === 'E') report.onStartFailed(value)
  else if (letter === 'X') report.onExited(value)
}
