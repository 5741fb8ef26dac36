/** Passes a deployment's events to current listeners. @module */
import type { DeploymentEvent } from '../shown/event.ts'

export interface EventFeed {
  emit(event: DeploymentEvent): void
  /** All events after the call; ends with the feed or by the signal. */
  listen(signal: AbortSignal): AsyncGenerator<DeploymentEvent>
  close(): void
}

// Most queued events of a slow listener; later ones are dropped, so that memory stays bounded.
const maxWaiting = 1000

export function createEventFeed(): EventFeed {
  const listeners = new Set<Listener>()
  let isClosed = false
  return {
    emit: (event) => listeners.forEach((listener) => listener.push(event)),
    listen(signal) {
      const listener = createListener()
      listeners.add(listener)
      if (isClosed) listener.end()
      return drain(listener, signal, () => listeners.delete(listener))
    },
    close() {
      isClosed = true
      for (const listener of listeners) listener.end()
    },
  }
}

interface Listener {
  waiting: DeploymentEvent[]
  isEnded: boolean
  push(event: DeploymentEvent): void
  end(): void
  /** Resolves at the next push or end. */
  news(): Promise<void>
}

function createListener(): Listener {
  let wake = () => {}
  const listener: Listener = {
    waiting: [],
    isEnded: false,
    push(event) {
      if (listener.waiting.length < maxWaiting) listener.waiting.push(event)
      wake()
    },
    end() {
      listener.isEnded = true
      wake()
    },
    news: () => new Promise<void>((resolve) => (wake = resolve)),
  }
  return listener
}

async function* drain(
  listener: Listener,
  signal: AbortSignal,
  onEnd: () => void,
): AsyncGenerator<DeploymentEvent> {
  const end = () => listener.end()
  signal.addEventListener('abort', end)
  try {
    while (!signal.aborted) {
      const event = listener.waiting.shift()
      if (event) yield event
      else if (listener.isEnded) return
      else await listener.news()
    }
  } finally {
    signal.removeEventListener('abort', end)
    onEnd()
  }
}
