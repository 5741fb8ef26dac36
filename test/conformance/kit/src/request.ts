/**
 * Request lines, as text, so that a check can say exactly what is sent.
 * @module
 */

/** A request without its newline. `params` and `id` are JSON texts; '' leaves the member out. */
export function requestText(method: string, params = '[]', id = '"1"'): string {
  const members = [
    '"jsonrpc":"2.0"',
    `"method":${JSON.stringify(method)}`,
    ...(params === '' ? [] : [`"params":${params}`]),
    ...(id === '' ? [] : [`"id":${id}`]),
  ]
  return `{${members.join(',')}}`
}

/** The request that every bridge answers to everyone it admits. */
export const versionRequest = requestText('processor_version')
