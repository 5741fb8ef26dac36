/** A launcher that has mounted a job's root, and waits for the command to start the job. @module */
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { StartError } from '../../errors/start-error.ts'
import type { LauncherProcess } from './launcher-process.ts'
import { childrenOf } from './process-tree.ts'

export interface Launch extends LauncherProcess {
  /** The launcher's only child: it becomes the tracer, or the guest's init where there is none. */
  childPid: number
  /** Starts the job. */
  go(): void
  /** The launcher's message about a failure before the job ran. */
  failure(): string | undefined
}

/**
 * Waits until the job's root is mounted.
 * @throws StartError SANDBOX_UNAVAILABLE with the launcher's message, or the signal's reason; the
 *   launcher is discarded then
 */
export async function openLaunch(
  launcher: LauncherProcess,
  signal: AbortSignal | undefined,
): Promise<Launch> {
  const { control } = launcher
  const said = listen(control)
  const giveUp = () => launcher.discard()
  // The limit lets the daemon report a disk or a device that hangs.
  const alarm = setTimeout(giveUp, longestMountMs)
  signal?.addEventListener('abort', giveUp)
  try {
    signal?.throwIfAborted()
    await mounted(launcher, said)
    return {
      ...launcher,
      childPid: childOf(launcher),
      go: () => void control.write('g'),
      failure: () => said.rest() || undefined,
    }
  } catch (error) {
    launcher.discard()
    signal?.throwIfAborted()
    throw error
  } finally {
    clearTimeout(alarm)
    signal?.removeEventListener('abort', giveUp)
  }
}

const longestMountMs = 60_000

const mountedLine = 'mounted\n'
// Far longer than any message: the launcher writes it, but a job may influence its length.
const maxSaid = 4096

interface Said {
  isMounted: () => boolean
  rest: () => string
}

function listen(control: Duplex): Said {
  let text = ''
  control.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-maxSaid)))
  return {
    isMounted: () => text.startsWith(mountedLine),
    rest: () => (text.startsWith(mountedLine) ? text.slice(mountedLine.length) : text).trim(),
  }
}

async function mounted({ child, control }: LauncherProcess, said: Said): Promise<void> {
  const failed = once(child, 'error').then(([cause]: unknown[]) => {
    throw new StartError('SANDBOX_UNAVAILABLE', (cause as Error).message, { cause })
  })
  failed.catch(() => {})
  // A launcher that was killed with input of ours unread closes the socket with an error.
  const ended = once(control, 'close').then(
    () => true,
    () => true,
  )
  while (!said.isMounted()) {
    // A spare that was killed before it was taken emits no further event.
    if (control.destroyed) throw new StartError('SANDBOX_UNAVAILABLE', 'the launcher was killed')
    const isOver = await Promise.race([
      once(control, 'data').then(
        () => false,
        () => true,
      ),
      ended,
      failed,
    ])
    if (isOver) throw new StartError('SANDBOX_UNAVAILABLE', said.rest() || 'the launcher ended')
  }
}

function childOf({ child: { pid } }: LauncherProcess): number {
  const child = pid === undefined ? undefined : childrenOf(pid)[0]
  if (child === undefined) throw new StartError('SANDBOX_UNAVAILABLE', 'the launcher ended')
  return child
}
