/**
 * What is remembered of a deployment: `record.json` in its folder.
 * @module
 */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { StartError } from '../../errors/start-error.ts'
import { jobExitSchema } from '../../execution/contract/exit.ts'

const whole = v.pipe(v.number(), v.integer(), v.minValue(0))
/** Unix ms. */
const time = whole

const attempt = v.strictObject({
  number: whole,
  startedAt: time,
  endedAt: v.exactOptional(time),
  exit: v.exactOptional(jobExitSchema),
  /** The daemon ended it, so that the next one continues. */
  interrupted: v.exactOptional(v.boolean()),
})

const execution = v.strictObject({
  number: whole,
  /** When it was to begin. */
  due: time,
  startedAt: time,
  deadline: v.exactOptional(time),
  /** It is being stopped: not to be continued after a crash. */
  stopping: v.exactOptional(v.boolean()),
  /** How often the restart policy started its job again. */
  restarts: whole,
  /** The last of them; the oldest go. */
  attempts: v.array(attempt),
})

const past = v.variant('kind', [
  v.strictObject({
    kind: v.literal('ended'),
    ...execution.entries,
    endedAt: time,
    exit: jobExitSchema,
  }),
  /** Executions in a row that could not begin in time. */
  v.strictObject({ kind: v.literal('missed'), count: whole, firstDue: time, lastDue: time }),
])

const recordSchema = v.strictObject({
  format: v.literal(1),
  name: v.string(),
  id: v.string(),
  origin: v.strictObject({ kind: v.string(), source: v.string() }),
  /** The operator's file; what paths in it are relative to. */
  file: v.string(),
  /** Which of its `revisions/` holds the files in use. */
  revision: whole,
  /** Of the bundle. */
  cid: v.string(),
  allowLocalImages: v.boolean(),
  deployedAt: time,
  wanted: v.picklist(['running', 'stopped', 'removed']),
  plan: v.strictObject({
    /** When the first execution is due. */
    start: time,
    /** Which of the planned executions is next, from 0. */
    next: whole,
  }),
  /** Executions begun so far; the number of the last. */
  executions: whole,
  missed: whole,
  /** The execution that runs, or ran when the daemon ended. */
  current: v.exactOptional(execution),
  /** The newest first. */
  history: v.array(past),
})

export type DeploymentRecord = v.InferOutput<typeof recordSchema>
export type ExecutionRecord = v.InferOutput<typeof execution>
export type AttemptRecord = v.InferOutput<typeof attempt>
export type PastExecution = v.InferOutput<typeof past>

/**
 * Reads a record.
 * @returns undefined when there is none
 * @throws StartError RECORD_DAMAGED naming the file and what is wrong
 */
export function readRecord(path: string): DeploymentRecord | undefined {
  const text = readIfThere(path)
  if (text === undefined) return undefined
  const result = v.safeParse(recordSchema, parseJson(path, text))
  if (result.success) return result.output
  const [issue] = result.issues
  throw damaged(path, `${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`)
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw damaged(path, (error as Error).message)
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(path, 'expected JSON, found something else')
  }
}

function damaged(path: string, what: string): StartError {
  return new StartError('RECORD_DAMAGED', `${path}: ${what}`)
}
