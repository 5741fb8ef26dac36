/**
 * What a daemon would say of itself, for tests of its control socket.
 * @module
 */
import type { Status } from '../../runtime/src/control/protocol.ts'

export function testStatus(): Status {
  const warnings: string[] = []
  const host = { state: '/state', sandbox: 'none', signer: 'native', warnings }
  return { version: '0.0.0', pid: 1, startedAt: 1, ...host, deployments: {} }
}
