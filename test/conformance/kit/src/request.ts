/**
 * Request lines as text, so that a check controls every byte.
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

/** A request that every bridge answers to every admitted caller. */
export const versionRequest = requestText('processor_version')
