/**
 * A run as a person wants to read it: one line for each thing that happened.
 * @module
 */
import type { Writable } from 'node:stream'
import { showUrl, type ImageProgress } from '@causeway/images'
import type { CallRecord } from '../bridge/dispatch.ts'
import type { RunEvent } from '../run-deployment.ts'
import type { JobExit } from '../sandbox/job.ts'
import { callText } from './call-text.ts'
import { printable } from './printable.ts'

const progressIntervalMs = 700
const labelWidth = 16

export interface Reporter {
  event: (event: RunEvent) => void
  call: (record: CallRecord) => void
  progress: (progress: ImageProgress) => void
  /** A finished step. */
  done: (label: string, text: string) => void
  /** A line that the job printed. */
  jobLine: (text: string) => void
  exit: (exit: JobExit) => void
}

export function createReporter(out: Writable): Reporter {
  const line = (mark: string, label: string, text: string) =>
    void out.write(printable(`${mark} ${label.padEnd(labelWidth)} ${text}\n`))
  const { progress, clear } = delayedProgress((text) => void out.write(`  … ${text}\n`))
  const done = (label: string, text: string) => {
    clear()
    line('✓', label, text)
  }
  return {
    done,
    progress,
    jobLine: (text) => line(' ', '  job says', text),
    event: (event) => eventLine(event, { done, line, progress }),
    call: (record) => line(' ', '  bridge call', callText(record)),
    exit: (exit) =>
      line(exit.reason === 'exited' && exit.code === 0 ? '✓' : '✗', 'job ended', exitText(exit)),
  }
}

interface Lines {
  done: (label: string, text: string) => void
  line: (mark: string, label: string, text: string) => void
  progress: (progress: ImageProgress) => void
}

function eventLine(event: RunEvent, { done, line, progress }: Lines): void {
  switch (event.type) {
    case 'warning':
      return line('!', 'note', event.message)
    case 'image-progress':
      return progress(event.progress)
    case 'image-verified': {
      const { sha256, bytes, fromCache } = event.image
      const origin = fromCache ? 'from the cache' : `from ${showUrl(new URL(event.url))}`
      return done(
        'image verified',
        `sha256 ${sha256.slice(0, 16)}…, ${megabytes(bytes)}, ${origin}`,
      )
    }
    case 'root-ready':
      return done('root unpacked', `${megabytes(event.bytes)} in ${seconds(event.durationMs)}`)
    case 'bridge-open': {
      const { socket, identity } = event.bridge
      return done('bridge open', `abstract socket ${socket}, deployment ${identity.id}`)
    }
    case 'job-started':
      return done(
        'job started',
        `${event.command.join(' ')} as uid ${event.uid} under ${event.sandbox}`,
      )
  }
}

/** Progress of what takes its time: the latest state every 0.7 s; quick steps say nothing. */
function delayedProgress(write: (text: string) => void) {
  let latest: ImageProgress | undefined
  let timer: NodeJS.Timeout | undefined
  const print = () => {
    timer = undefined
    if (latest) write(progressText(latest))
  }
  return {
    progress: (progress: ImageProgress) => {
      latest = progress
      timer ??= setTimeout(print, progressIntervalMs).unref()
    },
    /** The step is over; what was not said yet need not be. */
    clear: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

function progressText({ phase, bytes, totalBytes, detail }: ImageProgress): string {
  const amount =
    bytes === undefined
      ? ''
      : `${megabytes(bytes)}${totalBytes ? ` of ${megabytes(totalBytes)}` : ''}`
  return [phase, detail, amount].filter(Boolean).join(' ')
}

function exitText(exit: JobExit): string {
  switch (exit.reason) {
    case 'exited':
      return `exit code ${exit.code}`
    case 'signaled':
      return `by signal ${exit.signal}`
    case 'killed':
    case 'start-failed':
      return `${exit.reason}: ${exit.detail}`
  }
}

/** Bytes for a person. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** Milliseconds for a person. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
