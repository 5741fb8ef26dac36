/**
 * Lets one benchmark run at a time on a machine: two would distort each other.
 * @module
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface TurnOptions {
  /** The abstract socket that represents the turn; it closes when its process ends. */
  name?: string
  /** Called once if another benchmark is running. */
  onWait: () => void
  signal: AbortSignal
}

const stepMs = 500

/** Waits until no other benchmark runs. @returns ends the turn @throws the signal's reason */
export async function takeTurn(options: TurnOptions): Promise<() => void> {
  const { name = 'causeway-bench-turn', onWait, signal } = options
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    const server = await listen(name)
    if (server) return () => server.close()
    if (tries === 0) onWait()
    // The loop checks the signal at its top.
    await pause(stepMs, undefined, { signal }).catch(() => {})
  }
}

/** Undefined when another process has the name. */
async function listen(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen({ path: `\0${name}` }), 'listening')
    return server.unref()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined
    throw error
  }
}
