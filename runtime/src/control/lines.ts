/**
 * Answers that go on: one JSON document a line, as long as the client takes them.
 * @module
 */
import type { ServerResponse } from 'node:http'

// A client that takes nothing for so long must not hold a file or a listener.
const defaultDrainMs = 30_000

/** Aborted when the client goes away or takes nothing. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  return gone.signal
}

/** Sends texts of whole lines until the source ends or the client is gone. */
export async function sendLines(
  response: ServerResponse,
  source: AsyncIterable<string>,
  drainMs = defaultDrainMs,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  // So that a client knows at once that it is listening.
  response.flushHeaders()
  for await (const text of source) {
    if (response.destroyed) return
    if (!response.write(text) && !(await drained(response, drainMs))) return
  }
  response.end()
}

function drained(response: ServerResponse, drainMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), drainMs)
    const settle = () => {
      clearTimeout(timer)
      response.off('drain', settle).off('close', settle)
      resolve(!response.destroyed)
    }
    response.on('drain', settle).on('close', settle)
  })
}
