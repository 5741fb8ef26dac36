/** Every request of the control API with its answer. @module */
import * as v from 'valibot'
import { logEntry, logStreams } from '../../supervisor/log/log-entry.ts'
import { deploymentDetail, deploymentSummary } from '../../supervisor/shown/deployment.ts'
import { eventLine } from '../../supervisor/shown/event.ts'
import { described, list, whole } from '../../supervisor/shown/fields.ts'
import type { ErrorStatus } from './errors.ts'
import { maxGraceMs } from '../limits.ts'
import { networkView, recovery, status } from './host.ts'
import { count, flag } from './query.ts'

const maxTail = 100_000

const nothing = v.strictObject({})

export type QuerySchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

interface RequestFacts {
  /** What the request does, in one sentence. */
  summary: string
  /** Of the path. */
  params: v.GenericSchema
  /** As text; an array is repeated names. */
  query: QuerySchema
  /** JSON. */
  body: v.GenericSchema
  /** JSON; of each line when the answer is a stream of lines. */
  answer: v.GenericSchema
  streams: boolean
  /** Statuses beyond 400, 405, 408, 413, 500 and 503, which every request may be answered with. */
  errors: readonly ErrorStatus[]
}

const plain = { params: nothing, query: nothing, body: nothing, streams: false } as const
const one = {
  ...plain,
  params: v.strictObject({
    id: described(v.string(), 'Id of a deployment, or the first digits of its name, at least 6.'),
  }),
} as const

/** Method and path → what is sent and what is answered. */
export const protocol = {
  'GET /v1/status': {
    ...plain,
    summary: 'Shows the daemon: its version, its host, how many deployments are in which state.',
    answer: status,
    errors: [],
  },
  'GET /v1/deployments': {
    ...plain,
    summary: 'Lists all deployments.',
    answer: v.object({ deployments: list(deploymentSummary), recovery: v.exactOptional(recovery) }),
    errors: [],
  },
  'POST /v1/deployments': {
    ...plain,
    summary: 'Copies a deployment with its bundle and keys, and runs it as its schedule says.',
    body: v.strictObject({
      file: described(
        v.pipe(v.string(), v.startsWith('/', 'expected an absolute path')),
        'Absolute path of the deployment file on the daemon’s host.',
      ),
      replace: v.optional(
        described(v.boolean(), 'Put it in the place of one with the same id; keys and log stay.'),
        false,
      ),
      allowLocalImages: v.optional(
        described(v.boolean(), 'Allow image URLs with `file:` and with `http:` to loopback.'),
        false,
      ),
    }),
    answer: deploymentDetail,
    errors: [409, 422, 507],
  },
  'GET /v1/deployments/:id': {
    ...one,
    summary: 'Shows a deployment.',
    answer: deploymentDetail,
    errors: [404],
  },
  'DELETE /v1/deployments/:id': {
    ...one,
    summary: 'Removes a deployment with its log.',
    query: v.strictObject({
      force: flag('`1`: also a deployment that runs or is damaged.'),
      keys: flag('`1`: forget its imported keys, too.'),
    }),
    answer: v.object({}),
    errors: [404, 409, 422],
  },
  'POST /v1/deployments/:id/stop': {
    ...one,
    summary: 'Ends what runs of a deployment, and begins nothing of it until it is started.',
    body: v.strictObject({
      graceMs: v.exactOptional(
        described(
          v.pipe(whole, v.maxValue(maxGraceMs)),
          'Time between SIGTERM and the end of the job’s process tree.',
        ),
      ),
    }),
    answer: deploymentDetail,
    errors: [404, 409, 422, 507],
  },
  'POST /v1/deployments/:id/start': {
    ...one,
    summary: 'Follows the schedule of a stopped deployment again; one that is over begins again.',
    answer: deploymentDetail,
    errors: [404, 409, 422],
  },
  'GET /v1/deployments/:id/logs': {
    ...one,
    summary: 'Reads a deployment’s log.',
    query: v.strictObject({
      since: count(Number.MAX_SAFE_INTEGER, 'Only entries with a higher `seq`.'),
      tail: count(maxTail, `Only so many of the last entries, at most ${maxTail}.`),
      follow: flag('`1`: goes on until nothing more is planned for the deployment.'),
      stream: v.exactOptional(
        described(v.array(v.picklist(logStreams)), 'Only these streams; may be repeated.'),
      ),
    }),
    answer: logEntry,
    streams: true,
    errors: [404, 409],
  },
  'GET /v1/deployments/:id/events': {
    ...one,
    summary: 'Shows a deployment, and then what happens to it, until it is removed.',
    answer: eventLine,
    streams: true,
    errors: [404, 409],
  },
  'GET /v1/deployments/:id/network': {
    ...one,
    summary: 'Shows the network of a deployment whose job runs.',
    answer: networkView,
    errors: [404, 409],
  },
} as const satisfies Readonly<Record<string, RequestFacts>>
