/** A deployment as it is shown: never with a value of its environment, nor a key. @module */
import * as v from 'valibot'
import { jobExit, pastExecution, runningExecution } from './execution.ts'
import { described, list, time, whole } from './fields.ts'

const state = described(
  v.picklist([
    'scheduled',
    'preparing',
    'running',
    'restarting',
    'stopping',
    'stopped',
    'ended',
    'damaged',
  ]),
  '`ended`: nothing more is planned. `damaged`: the daemon can not read the deployment’s files.',
)

const summary = {
  name: described(v.string(), 'Folder of the deployment in the store, 32 hex digits.'),
  id: v.exactOptional(
    described(v.string(), 'Absent when no file of a damaged one says it any more.'),
  ),
  state,
  deployedAt: v.exactOptional(time),
  executions: v.exactOptional(described(whole, 'Number of the last execution.')),
  missed: v.exactOptional(described(whole, 'Executions that could not begin in time.')),
  nextStart: v.exactOptional(time),
  /** Of the last execution that ended. */
  exit: v.exactOptional(jobExit),
  waiting: v.exactOptional(
    described(
      v.string(),
      'The fault of the host, such as a full disk, after which it tries again.',
    ),
  ),
  error: v.exactOptional(described(v.string(), 'What is wrong with a damaged deployment.')),
}

const ms = described(v.number(), 'Unix ms or ms; 0 stands for the default.')
const bytes = described(v.number(), 'Bytes; 0 stands for the default.')

const facts = v.object({
  origin: v.object({ kind: v.string(), source: v.string() }),
  file: described(v.string(), 'The operator’s file; the daemon has its own copy.'),
  cid: described(v.string(), 'CID of the bundle.'),
  image: v.object({ url: v.string(), sha256: v.string() }),
  entrypoint: v.string(),
  restartPolicy: v.string(),
  allowLocalImages: v.boolean(),
  schedule: v.object({
    startTime: ms,
    endTime: ms,
    duration: ms,
    interval: ms,
    maxStartDelay: ms,
  }),
  memory: bytes,
  storage: bytes,
  networkRequests: described(v.number(), 'New connections of an execution; 0: not limited.'),
  slot: v.nullable(v.number()),
  interfaces: v.string(),
  environment: described(list(v.string()), 'Names of the variables.'),
  warnings: described(list(v.string()), 'Unknown fields and settings that are not enforced.'),
  methods: v.exactOptional(described(list(v.string()), 'Methods that the policy grants.')),
})

/** One line of `ps`. */
export const deploymentSummary = v.object(summary)

/** What `inspect` shows; a damaged deployment has nothing beyond its summary. */
export const deploymentDetail = v.object({
  ...summary,
  ...v.partial(facts).entries,
  current: v.exactOptional(runningExecution),
  history: v.exactOptional(described(list(pastExecution), 'The newest first.')),
  log: v.exactOptional(v.object({ seq: described(whole, 'Number of the last entry.') })),
})

export type DeploymentState = v.InferOutput<typeof state>
export type DeploymentFacts = v.InferOutput<typeof facts>
export type DeploymentSummary = v.InferOutput<typeof deploymentSummary>
export type DeploymentDetail = v.InferOutput<typeof deploymentDetail>
