/** Asks questions on the controlling terminal, without echoing the answers. @module */
import { openSync, writeSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { orNone } from '@causeway/service/failure'
import { createHiddenLine, type HiddenLine } from './hidden-line.ts'

export interface Terminal {
  /**
   * Asks for a line.
   * @returns its bytes without the line end; the caller zeroes them
   * @throws Error when Ctrl-C, a signal or the end of the terminal's input comes first
   */
  ask(question: string): Promise<Buffer>
  /** Turns the echo on again. */
  close(): void
}

const endings = { interrupted: 'stopped by Ctrl-C', 'too-long': 'the line is too long' } as const

/** The controlling terminal with its echo off; undefined when the process has none. */
export function openTerminal(): Terminal | undefined {
  const fd = orNone(() => openSync('/dev/tty', 'r+'))
  if (fd === undefined) return undefined
  const stop = new AbortController()
  // Installed before the echo is off: a signal that ended the process later would leave it off.
  const release = onSignals((name) => stop.abort(new Error(`stopped by ${name}`)))
  const input = new ReadStream(fd)
  input.setRawMode(true)
  // Input typed ahead, for the next question.
  let ahead: Buffer = Buffer.alloc(0)
  return {
    async ask(question) {
      writeSync(fd, question)
      const line = createHiddenLine()
      try {
        ahead = feed(line, ahead) ?? (await readLine(input, line, stop.signal))
        return line.take()
      } finally {
        line.wipe()
        writeSync(fd, '\n')
      }
    },
    close() {
      ahead.fill(0)
      input.setRawMode(false)
      input.destroy()
      release()
    },
  }
}

/** Reads until the line is done. @returns the remaining bytes of the last chunk */
function readLine(input: ReadStream, line: HiddenLine, stop: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (how: () => void) => {
      input.pause().off('data', onData).off('end', onEnd).off('error', onEnd)
      stop.removeEventListener('abort', onStop)
      how()
    }
    const onData = (chunk: Buffer) => {
      try {
        const rest = feed(line, chunk)
        if (rest) settle(() => resolve(rest))
      } catch (error) {
        settle(() => reject(error as Error))
      }
    }
    const onEnd = () => settle(() => reject(new Error('the terminal was closed')))
    const onStop = () => settle(() => reject(stop.reason as Error))
    if (stop.aborted) return onStop()
    stop.addEventListener('abort', onStop)
    input.on('end', onEnd).on('error', onEnd).on('data', onData).resume()
  })
}

/** Feeds a chunk to the line and zeroes it. @returns the bytes after the line, once it is done */
function feed(line: HiddenLine, chunk: Buffer): Buffer | undefined {
  try {
    for (let index = 0; index < chunk.length; index++) {
      const typed = line.type(chunk[index] ?? 0)
      if (typed === 'done') return Buffer.from(chunk.subarray(index + 1))
      if (typed !== 'more') throw new Error(endings[typed])
    }
    return undefined
  } finally {
    chunk.fill(0)
  }
}

function onSignals(listener: (name: NodeJS.Signals) => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of signals) process.on(name, listener)
  return () => {
    for (const name of signals) process.off(name, listener)
  }
}
