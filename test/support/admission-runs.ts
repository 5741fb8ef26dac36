/**
 * Runs and agents of one test file, which end with it.
 * @module
 */
import { afterAll, beforeAll } from 'vitest'
import { openControl, type Agent, type Control } from './admission-agent.ts'
import { openRun, started, type OpenRun, type Run, type RunOptions } from './admission-run.ts'
import type { Way } from './admission-ways.ts'
import { recipeImage } from './recipe-image.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface Runs {
  /** Options that all runs share. */
  common(): Omit<RunOptions, 'way'>
  /** Starts a daemon whose job may not run yet. */
  open(way: Way, config?: string): Promise<OpenRun>
  /** Starts a daemon; resolves once its job runs. */
  start(way: Way, config?: string): Promise<Run>
  /** Starts a process that belongs to no job. */
  stranger(uid?: number): Promise<Agent>
}

/** Call it once, at the beginning of the file. */
export function useRuns(): Runs {
  let shared: Omit<RunOptions, 'way'> & { control: Control }
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  const opened: OpenRun[] = []
  beforeAll(async () => {
    const image = await recipeImage('python')
    folder = await temporaryFolder()
    shared = { folder: folder.path, image, control: await openControl() }
  })
  afterAll(async () => {
    await Promise.all(opened.map((run) => run.stop()))
    await shared.control[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })
  const open = async (way: Way, config?: string) => {
    const run = await openRun({ ...shared, way, ...(config !== undefined && { config }) })
    opened.push(run)
    return run
  }
  return {
    common: () => shared,
    open,
    start: async (way, config) => started(await open(way, config)),
    stranger: (uid) => shared.control.stranger(uid),
  }
}
