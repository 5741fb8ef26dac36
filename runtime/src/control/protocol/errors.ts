/** What a request is refused with. @module */
import * as v from 'valibot'
import { described } from '../../supervisor/shown/fields.ts'

/** HTTP status → kinds of refusals that come with it. */
export const errorKinds = {
  400: ['INVALID_REQUEST'],
  404: ['NOT_FOUND', 'DEPLOYMENT_UNKNOWN'],
  405: ['METHOD_NOT_ALLOWED'],
  408: ['TIMEOUT'],
  409: ['DEPLOYMENT_EXISTS', 'DEPLOYMENT_BUSY', 'DEPLOYMENT_NOT_RUNNING', 'RECORD_DAMAGED'],
  413: ['TOO_LARGE'],
  // The request is well formed; what it names is not.
  422: [
    'INPUT_UNREADABLE',
    'INVALID_DOCUMENT',
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
    'STATE_NEWER',
    'SOCKET_UNAVAILABLE',
    'SANDBOX_UNAVAILABLE',
    'NETWORK_UNAVAILABLE',
    'ROOT_BUSY',
    'ROOT_REPLACED',
    'ROOT_LOST',
    'DAEMON_RUNNING',
    'DAEMON_UNREACHABLE',
    'IMAGE_URL_REFUSED',
    'IMAGE_DOWNLOAD_FAILED',
    'IMAGE_DIGEST_MISMATCH',
    'IMAGE_ARCHIVE_INVALID',
    'IMAGE_TOO_LARGE',
    'IMAGE_BUILD_FAILED',
    'IMAGE_NOT_FOUND',
    'IMAGE_IN_USE',
  ],
  500: ['INTERNAL'],
  // The same request is answered later.
  503: ['TOO_MANY_CLIENTS', 'DAEMON_STARTING'],
  507: ['RECORD_UNSAVED', 'DISK_FULL'],
} as const

export type ErrorStatus = keyof typeof errorKinds
export type ErrorKind = (typeof errorKinds)[ErrorStatus][number]

/** Body of every answer that is no success; a newer daemon may have more kinds. */
export const errorBody = v.object({
  error: v.object({
    kind: described(v.string(), 'What went wrong: a stable name, for programs.'),
    message: described(v.string(), 'What was found and what was expected, for a person.'),
  }),
})

export type ErrorBody = v.InferOutput<typeof errorBody>
