/** Reports a run to a person: one line for each thing that happened. @module */
import type { Writable } from 'node:stream'
import { showUrl, type ImageProgress } from '@causeway/images'
import type { CallRecord } from '../../bridge/dispatch.ts'
import { describeExit } from '../../execution/contract/exit.ts'
import type { ExecutionEvent } from '../../execution/contract/request.ts'
import type { JobExit } from '../../sandbox/exit.ts'
import { megabytes, seconds } from './amounts.ts'
import { callText } from './call-text.ts'
import { printable } from './printable.ts'
import { progressText } from './progress-text.ts'
import { createScreen, type Target } from './screen.ts'

const progressIntervalMs = 700
const labelWidth = 16

export interface Reporter {
  event: (event: ExecutionEvent) => void
  call: (record: CallRecord) => void
  progress: (progress: ImageProgress) => void
  /** Reports a finished step. */
  done: (label: string, text: string) => void
  /** Shows a line that the job printed. */
  jobLine: (text: string) => void
  exit: (exit: JobExit) => void
}

/** @param screen where a job's output is shown, too */
export function createReporter(out: Writable & Target, screen = createScreen()): Reporter {
  const line = (mark: string, label: string, text: string) =>
    void out.write(screen.ofHost(out, `${mark} ${label.padEnd(labelWidth)}`, text))
  const { progress, clear } = delayedProgress(
    (text) => void out.write(screen.ofHost(out, '  …', text)),
  )
  const done = (label: string, text: string) => {
    clear()
    line('✓', label, text)
  }
  return {
    done,
    progress,
    jobLine: (text) => void out.write(printable(`  ${'  job says'.padEnd(labelWidth)} ${text}\n`)),
    event: (event) => eventLine(event, { done, line, progress }),
    call: (record) => line(' ', '  bridge call', callText(record)),
    exit: (exit) =>
      line(
        exit.reason === 'exited' && exit.code === 0 ? '✓' : '✗',
        'job ended',
        describeExit(exit),
      ),
  }
}

interface Lines {
  done: (label: string, text: string) => void
  line: (mark: string, label: string, text: string) => void
  progress: (progress: ImageProgress) => void
}

function eventLine(event: ExecutionEvent, { done, line, progress }: Lines): void {
  switch (event.type) {
    case 'warning':
      return line('!', 'note', event.message)
    case 'image-progress':
      return progress(event.progress)
    case 'image-verified': {
      const { sha256, bytes, fromCache } = event
      const origin = fromCache ? 'from the cache' : `from ${showUrl(new URL(event.url))}`
      return done(
        'image verified',
        `sha256 ${sha256.slice(0, 16)}…, ${megabytes(bytes)}, ${origin}`,
      )
    }
    case 'root-ready':
      return done('image ready', readyText(event))
    case 'bridge-open': {
      const { socket, deployment } = event
      return done('bridge open', `abstract socket ${socket}, deployment ${deployment}`)
    }
    case 'job-started':
      return done(
        'job started',
        `${event.command.join(' ')} as uid ${event.uid} under ${event.sandbox}`,
      )
    case 'attempt-ended':
      return undefined
    case 'restarting':
      return line('!', 'job ended', `attempt ${event.attempt} follows in ${seconds(event.delayMs)}`)
  }
}

function readyText({ bytes, durationMs, fromCache }: ExecutionEvent & { type: 'root-ready' }) {
  const size = `${megabytes(bytes)} unpacked`
  return fromCache ? `${size}, from the cache` : `${size} in ${seconds(durationMs)}`
}

/** Writes the latest progress every 0.7 s; steps that take less write nothing. */
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
    /** Drops progress that is not written yet, because its step is over. */
    clear: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
