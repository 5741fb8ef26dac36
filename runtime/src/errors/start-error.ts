/** Why a deployment could not be started. `kind` is stable; the message says what was wrong. */
export type StartErrorKind =
  | 'INPUT_UNREADABLE'
  | 'BUNDLE_INVALID'
  | 'MANIFEST_MISSING'
  | 'ENTRYPOINT_MISSING'
  | 'KEYS_INVALID'
  | 'POLICY_INVALID'
  | 'ENVIRONMENT_TOO_LARGE'
  | 'STATE_UNREACHABLE'
  | 'STATE_NEWER'
  | 'DEPLOYMENT_BUSY'
  | 'ROOT_BUSY'
  | 'ROOT_REPLACED'
  | 'SANDBOX_UNAVAILABLE'
  | 'NETWORK_UNAVAILABLE'
  | 'LIMIT_INVALID'
  | 'DISK_FULL'
  | 'ROOT_LOST'
  | 'ARCHITECTURE_FOREIGN'
  | 'SOCKET_UNAVAILABLE'
  | 'SCHEDULE_INVALID'
  | 'RECORD_DAMAGED'
  | 'RECORD_UNSAVED'
  | 'DEPLOYMENT_EXISTS'
  | 'DEPLOYMENT_UNKNOWN'
  | 'DEPLOYMENT_NOT_RUNNING'
  | 'DAEMON_RUNNING'
  | 'DAEMON_UNREACHABLE'
  | 'DAEMON_STARTING'

export interface StartErrorOptions extends ErrorOptions {
  /** For people: what to do about it, where the message does not say so. */
  remedy?: string
}

export class StartError extends Error {
  override readonly name = 'StartError'
  readonly kind: StartErrorKind
  readonly remedy: string | undefined

  constructor(kind: StartErrorKind, message: string, options?: StartErrorOptions) {
    super(message, options)
    this.kind = kind
    this.remedy = options?.remedy
  }
}
