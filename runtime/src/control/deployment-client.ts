/**
 * Requests to a running daemon about one deployment.
 * @module
 */
import type { ControlClient } from './client.ts'

/** As {@link ControlClient}; `rest` is what follows the deployment in the path. */
export interface DeploymentClient {
  /** Id of the deployment, or the beginning of its name. */
  readonly reference: string
  call<T>(method: string, rest?: string, body?: object): Promise<T>
  lines<T>(rest: string): AsyncGenerator<T>
}

export function deploymentClient(client: ControlClient, reference: string): DeploymentClient {
  const path = (rest: string) => `/v1/deployments/${encodeURIComponent(reference)}${rest}`
  return {
    reference,
    call: (method, rest = '', body) => client.call(method, path(rest), body),
    lines: (rest) => client.lines(path(rest)),
  }
}
