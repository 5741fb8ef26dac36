/**
 * Reads the reports of the guest's init: records of 8 bytes on a descriptor that the job lacks.
 * @module
 */
import type { Readable } from 'node:stream'

const recordBytes = 8

/** A callback for each kind of record, called with the record's number. */
export interface InitReport {
  /** The main process runs; `pid` is its pid in its own namespace. */
  onStarted(pid: number): void
  /** The entrypoint could not be executed. */
  onStartFailed(errno: number): void
  /** Raw wait(2) status of the main process. */
  onExited(waitStatus: number): void
}

/** Calls `report` for every record of the stream, however its bytes are split. */
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
