/** Schema of a deployment's record, `record.json` in its folder. @module */
import { readFileSync } from 'node:fs'
import { ifThere } from '@causeway/service/failure'
import * as v from 'valibot'
import { StartError } from '../../errors/start-error.ts'
import { useNewer } from '../../errors/newer-state.ts'
import { jobExitSchema } from '../../execution/contract/exit.ts'
import { shownAttempt, shownExecution, shownMissed } from '../shown/execution.ts'
import { time, whole } from '../shown/fields.ts'

// As they are shown, and nothing else. One that is being stopped is not continued after a crash.
const attempt = v.strictObject({
  ...shownAttempt.entries,
  exit: v.exactOptional(jobExitSchema),
})
const execution = v.strictObject({ ...shownExecution, attempts: v.array(attempt) })

const past = v.variant('kind', [
  v.strictObject({
    kind: v.literal('ended'),
    ...execution.entries,
    endedAt: time,
    exit: jobExitSchema,
  }),
  v.strictObject(shownMissed.entries),
])

/** Raise it when an earlier version would misread such a record; then also that of the state folder. */
export const recordFormat = 1

const recordSchema = v.strictObject({
  format: v.literal(recordFormat),
  name: v.string(),
  id: v.string(),
  origin: v.strictObject({ kind: v.string(), source: v.string() }),
  /** Path of the operator's file; paths in it are relative to it. */
  file: v.string(),
  /** Number of the folder in `revisions/` with the current files. */
  revision: whole,
  /** CID of the bundle. */
  cid: v.string(),
  allowLocalImages: v.boolean(),
  deployedAt: time,
  wanted: v.picklist(['running', 'stopped', 'removed']),
  plan: v.strictObject({
    /** When the first execution is due. */
    start: time,
    /** Number of the next planned execution, from 0. */
    next: whole,
  }),
  /** Number of executions so far, which is the number of the last one. */
  executions: whole,
  missed: whole,
  /** The running execution, or the one that the daemon's end interrupted. */
  current: v.exactOptional(execution),
  /** Newest first. */
  history: v.array(past),
})

export type DeploymentRecord = v.InferOutput<typeof recordSchema>
export type ExecutionRecord = v.InferOutput<typeof execution>
export type AttemptRecord = v.InferOutput<typeof attempt>
export type PastExecution = v.InferOutput<typeof past>

/**
 * Reads a record.
 * @returns undefined when there is none
 * @throws StartError RECORD_DAMAGED naming the file and what is wrong; STATE_NEWER
 */
export function readRecord(path: string): DeploymentRecord | undefined {
  const text = readIfThere(path)
  if (text === undefined) return undefined
  const value = parseJson(path, text)
  refuseNewer(path, value)
  const result = v.safeParse(recordSchema, value)
  if (result.success) return result.output
  const [issue] = result.issues
  throw damaged(path, `${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`)
}

/** The error for a deployment that has lost its record. */
export function recordMissing(path: string): StartError {
  return damaged(path, 'expected the record of the deployment, found nothing')
}

function readIfThere(path: string): string | undefined {
  try {
    return ifThere(() => readFileSync(path, 'utf8'))
  } catch (error) {
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

/** A newer version wrote it: whoever takes it for damaged would remove it. @throws StartError */
function refuseNewer(path: string, value: unknown): void {
  const { format } = (value ?? {}) as { format?: unknown }
  if (typeof format !== 'number' || format <= recordFormat) return
  const expected = `expected a record of format ${recordFormat}, the newest that this version knows`
  throw new StartError(
    'STATE_NEWER',
    `${path}: ${expected}, found format ${format} of a newer version of Causeway; ${useNewer}`,
  )
}

function damaged(path: string, what: string): StartError {
  return new StartError('RECORD_DAMAGED', `${path}: ${what}`)
}
