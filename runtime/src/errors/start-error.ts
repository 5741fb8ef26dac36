/** What was asked for is wrong, or cannot be had on this host. */
export const refusalKinds = [
  'INPUT_UNREADABLE',
  'BUNDLE_INVALID',
  'MANIFEST_MISSING',
  'ENTRYPOINT_MISSING',
  'KEYS_INVALID',
  'POLICY_INVALID',
  'ENVIRONMENT_TOO_LARGE',
  'LIMIT_INVALID',
  'SCHEDULE_INVALID',
  'ARCHITECTURE_FOREIGN',
  'STATE_UNREACHABLE',
  'SOCKET_UNAVAILABLE',
  'SANDBOX_UNAVAILABLE',
  'NETWORK_UNAVAILABLE',
  'ROOT_BUSY',
  'ROOT_LOST',
  'DAEMON_RUNNING',
  'DAEMON_UNREACHABLE',
] as const
/** The deployment is not in the state that the request is for. */
export const conflictKinds = [
  'DEPLOYMENT_EXISTS',
  'DEPLOYMENT_BUSY',
  'DEPLOYMENT_NOT_RUNNING',
  'RECORD_DAMAGED',
] as const

/** Why a deployment could not be started. `kind` is stable; the message says what was wrong. */
export type StartErrorKind =
  | (typeof refusalKinds)[number]
  | (typeof conflictKinds)[number]
  | 'DEPLOYMENT_UNKNOWN'
  | 'RECORD_UNSAVED'

export class StartError extends Error {
  override readonly name = 'StartError'
  readonly kind: StartErrorKind

  constructor(kind: StartErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
