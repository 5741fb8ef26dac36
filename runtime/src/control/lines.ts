/** Sends streams: one JSON document a line, as long as the client reads them. @module */
import type { ServerResponse } from 'node:http'

/** A client that reads nothing for this long must not keep a file, a listener or a connection. */
export const longestUnreadMs = 30_000

/** Gets a signal that is aborted when the connection is closed. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  return gone.signal
}

/** Sends values as lines of JSON, and arrays of lines as they are; ends with the source or the client. */
export async function sendLines(
  response: ServerResponse,
  source: AsyncIterable<unknown>,
  drainMs = longestUnreadMs,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  // The headers tell the client at once that it is listening.
  response.flushHeaders()
  for await (const item of source) {
    if (response.destroyed) return
    const text = Array.isArray(item) ? item.join('\n') : JSON.stringify(item)
    if (!response.write(`${text}\n`) && !(await drained(response, drainMs))) return
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
