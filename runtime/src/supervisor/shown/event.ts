/** What happens to a deployment: each event is a line of an answer that goes on. @module */
import * as v from 'valibot'
import { deploymentDetail } from './deployment.ts'
import { jobExit } from './execution.ts'
import { list, time, whole } from './fields.ts'

const progress = v.object({
  phase: v.picklist(['download', 'verify', 'unpack', 'build']),
  bytes: v.exactOptional(v.number()),
  totalBytes: v.exactOptional(v.number()),
  entries: v.exactOptional(v.number()),
  resumedBytes: v.exactOptional(v.number()),
  detail: v.exactOptional(v.string()),
})
const type = <const T extends string>(name: T) => ({ type: v.literal(name) })
const fromCache = v.boolean()

/** What happens to a deployment. */
export const deploymentEvent = v.variant('type', [
  v.object({ ...type('warning'), message: v.string() }),
  v.object({ ...type('image-progress'), progress }),
  v.object({
    ...type('image-verified'),
    sha256: v.string(),
    bytes: whole,
    fromCache,
    url: v.string(),
  }),
  v.object({ ...type('root-ready'), bytes: whole, durationMs: v.number(), fromCache }),
  v.object({ ...type('bridge-open'), socket: v.string(), deployment: v.string() }),
  v.object({
    ...type('job-started'),
    attempt: whole,
    uid: whole,
    sandbox: v.string(),
    command: list(v.string()),
  }),
  v.object({ ...type('attempt-ended'), attempt: whole, exit: jobExit }),
  v.object({ ...type('restarting'), attempt: whole, delayMs: v.number() }),
  v.object({ ...type('execution-started'), execution: whole }),
  v.object({ ...type('execution-ended'), execution: whole, exit: jobExit }),
  v.object({ ...type('waiting'), execution: whole, fault: v.string(), delayMs: v.number() }),
  v.object({ ...type('missed'), count: whole, firstDue: time, lastDue: time }),
  v.object({ ...type('wanted'), wanted: v.picklist(['running', 'stopped']) }),
])

/** The first line is the state; each line after it is an event. */
export const eventLine = v.variant('type', [
  v.object({ ...type('state'), deployment: deploymentDetail }),
  ...deploymentEvent.options,
])

export type DeploymentEvent = v.InferOutput<typeof deploymentEvent>
export type EventLine = v.InferOutput<typeof eventLine>
