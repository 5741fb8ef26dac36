/**
 * One benchmark at a time on a machine: two would measure each other.
 * @module
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface TurnOptions {
  /** Abstract socket that stands for the turn; it goes with its process, whatever ends that. */
  name?: string
  /** Called once when another one is at it. */
  onWait: () => void
  signal: AbortSignal
}

const stepMs = 500

/** Waits until no other benchmark runs. @returns gives the turn back @throws the signal's reason */
export async function takeTurn(options: TurnOptions): Promise<() => void> {
  const { name = 'causeway-bench-turn', onWait, signal } = options
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    const server = await listen(name)
    if (server) return () => server.close()
    if (tries === 0) onWait()
    // Its end by the signal is seen at the top of the loop.
    await pause(stepMs, undefined, { signal }).catch(() => {})
  }
}

/** Undefined when the name is taken. */
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
