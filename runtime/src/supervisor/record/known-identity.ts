/**
 * Keeps whose deployment a folder has apart from its record, so that an operator can name it when the
 * record is damaged.
 * @module
 */
import { readFileSync } from 'node:fs'
import { orNone } from '@causeway/service/failure'
import * as v from 'valibot'
import { replaceFile } from './replace-file.ts'
import type { DeploymentPaths } from './store.ts'

const identitySchema = v.object({ id: v.string() })

/** Writes the id, which stays the same as long as the folder. */
export async function keepIdentity({ identity }: DeploymentPaths, id: string): Promise<void> {
  await replaceFile(identity, `${JSON.stringify({ id })}\n`)
}

/** The id of a damaged deployment; undefined when no file of it says it. */
export function knownId({ identity, record }: DeploymentPaths): string | undefined {
  return orNone(() => idIn(readFileSync(identity, 'utf8'))) ?? orNone(() => idLine(record))
}

function idIn(json: string): string {
  return v.parse(identitySchema, JSON.parse(json)).id
}

/** The line of a record that has it; the rest may be cut off, and an older daemon wrote no other file. */
function idLine(record: string): string | undefined {
  const [line] = /"id": *"(?:[^"\\]|\\.)*"/.exec(readFileSync(record, 'utf8')) ?? []
  return line === undefined ? undefined : idIn(`{${line}}`)
}
