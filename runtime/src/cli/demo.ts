/** `causeway demo`: runs an example job on real parts and explains each step on a line. @module */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildRecipe, recipesFolder, type BuiltImage } from '@causeway/images'
import { afterwards } from '@causeway/service/failure'
import type { CallRecord } from '../bridge/dispatch.ts'
import { loadConfig } from '../config/config.ts'
import { runDeployment } from '../execution/foreground.ts'
import type { Job } from '../sandbox/job.ts'
import { openState, type StateFolders } from '../state/state-folders.ts'

import { createLogger } from '@causeway/service/log'
import { logLevelOf, passphraseOf, type SharedOptions } from './options.ts'
import { seconds } from './print/amounts.ts'
import { createReporter, type Reporter } from './print/report.ts'
import { exitCodeOf } from './exit-codes.ts'
import { abortOnSignals } from './signals.ts'
import { checkSignatures } from './signature-check.ts'

const example = fileURLToPath(new URL('../../../guest-sdk/examples/first-job', import.meta.url))

export async function demo(flags: SharedOptions): Promise<void> {
  const reporter = createReporter(process.stdout)
  const state = openState(flags.state)
  const signal = abortOnSignals()
  const image = await buildImage(state, reporter, signal)
  const bundle = await copyExample(image)
  const remove = () => rm(bundle, { recursive: true, force: true })
  await afterwards(runExample(bundle, state, flags, reporter, signal), remove)
}

async function buildImage(
  state: StateFolders,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const started = performance.now()
  const folder = recipesFolder(state.images)
  const image = await buildRecipe('python', { folder, signal, onProgress: reporter.progress })
  const how = image.fromCache ? 'built before' : `built in ${seconds(performance.now() - started)}`
  reporter.done('image ready', `python3 from Debian packages, ${how}`)
  reporter.done('image file', image.path)
  reporter.done('image sha256', image.sha256)
  return image
}

/** Copies the example and puts the image that was just built into its manifest. */
async function copyExample(image: BuiltImage): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-'))
  await cp(example, folder, { recursive: true })
  const file = join(folder, 'manifest.json')
  const manifest = JSON.parse(await readFile(file, 'utf8')) as object
  const filled = {
    ...manifest,
    image: { url: pathToFileURL(image.path).href, sha256: image.sha256 },
  }
  await writeFile(file, JSON.stringify(filled, null, 2))
  return folder
}

async function runExample(
  folder: string,
  state: StateFolders,
  flags: SharedOptions,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<void> {
  const calls: CallRecord[] = []
  const onCall = (record: CallRecord) => {
    calls.push(record)
    reporter.call(record)
  }
  const config = loadConfig(flags.config)
  const exit = await runDeployment({
    file: join(folder, 'deployment.json'),
    state,
    config,
    ...passphraseOf(flags),
    log: createLogger(logLevelOf(flags, config)),
    signal,
    onEvent: reporter.event,
    onCall,
    onOutput: (job) => printOutput(job, reporter),
  })
  for (const text of checkSignatures(calls, await messageOf(folder)))
    reporter.done('signature', text)
  reporter.exit(exit)
  process.exitCode = exitCodeOf(exit)
}

async function messageOf(folder: string): Promise<Buffer> {
  const deployment = JSON.parse(await readFile(join(folder, 'deployment.json'), 'utf8')) as {
    environment: { MESSAGE: string }
  }
  return Buffer.from(deployment.environment.MESSAGE)
}

async function printOutput({ stdout, stderr }: Pick<Job, 'stdout' | 'stderr'>, reporter: Reporter) {
  for (const stream of [stdout, stderr]) {
    createInterface({ input: stream }).on('line', (line) => reporter.jobLine(line))
  }
  await Promise.all([finished(stdout), finished(stderr)])
}
