/**
 * The format of a state folder as a whole: a version that cannot read it refuses it before it
 * touches anything. The file `format` says it; a folder without one has format 1.
 * @module
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useNewer } from '../errors/newer-state.ts'
import { StartError } from '../errors/start-error.ts'
import { packageVersion } from './package-version.ts'

/** Raise it when an earlier version would misread what this one writes. */
export const stateFormat = 1

interface Format {
  format: number
  /** Version of Causeway that wrote the folder's first file of this format. */
  version?: string
}

/** @throws StartError STATE_NEWER, or STATE_UNREACHABLE for a file that says no format */
export function checkFormat(stateFolder: string): void {
  const path = pathIn(stateFolder)
  if (!existsSync(path)) return
  const { format, version = 'newer than this one' } = parse(path, readFileSync(path, 'utf8'))
  if (format <= stateFormat) return
  const expected = `expected at most ${stateFormat}, which Causeway ${packageVersion()} knows`
  throw new StartError(
    'STATE_NEWER',
    `state folder ${stateFolder}: ${expected}, found format ${format} of Causeway ${version}; ${useNewer}`,
  )
}

/** Marks a folder that has no mark yet. On a disk that takes nothing it stays without. */
export function markFormat(stateFolder: string): void {
  const path = pathIn(stateFolder)
  if (existsSync(path)) return
  const mark: Format = { format: stateFormat, version: packageVersion() }
  const part = `${path}.${process.pid}.part`
  try {
    writeFileSync(part, `${JSON.stringify(mark)}\n`, { mode: 0o600 })
    // A process that is killed here leaves no half of it.
    renameSync(part, path)
  } catch {
    // Without a mark the folder has format 1.
  }
}

function pathIn(stateFolder: string): string {
  return join(stateFolder, 'format')
}

function parse(path: string, text: string): Format {
  const { format, version } = fieldsOf(text)
  if (!Number.isSafeInteger(format)) {
    const expected = 'expected {"format": NUMBER}'
    throw new StartError(
      'STATE_UNREACHABLE',
      `${path}: ${expected}, found ${JSON.stringify(text.slice(0, 40))}; without this file the folder counts as format 1`,
    )
  }
  return { format: Number(format), ...(typeof version === 'string' && { version }) }
}

function fieldsOf(text: string): Partial<Format> {
  try {
    return (JSON.parse(text) as Partial<Format> | null) ?? {}
  } catch {
    return {}
  }
}
