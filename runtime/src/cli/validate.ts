/**
 * `causeway validate`: reads a manifest or a deployment with its bundle, and says what is wrong.
 * @module
 */
import { basename } from 'node:path'
import { DocumentError, parseManifest } from '@causeway/manifest'
import { checkKeysFile } from '../deployment/identity.ts'
import { readInputFile } from '../deployment/input-file.ts'
import { checkSchedule } from '../supervisor/schedule/schedule.ts'
import { loadWithoutSandbox, looksLikeManifest } from '../deployment/load.ts'
import { chooseBackend } from '../signer/choose-backend.ts'
import { exitCodes } from './exit-codes.ts'
import { describeFailure } from './failure.ts'
import { jsonLine, printable } from './print/printable.ts'

interface Finding {
  ok: boolean
  file: string
  warnings: readonly string[]
  issues: readonly object[]
  error?: string
}

export async function validate(file: string, flags: { json?: boolean }): Promise<void> {
  const finding = await check(file)
  process.stdout.write(flags.json ? jsonLine(finding) : text(finding))
  if (!finding.ok) process.exitCode = exitCodes.invalid
}

async function check(file: string): Promise<Finding> {
  try {
    return { ok: true, file, warnings: await warningsOf(file), issues: [] }
  } catch (error) {
    const issues = error instanceof DocumentError ? error.issues : []
    return { ok: false, file, warnings: [], issues, error: describeFailure(error) }
  }
}

async function warningsOf(file: string): Promise<readonly string[]> {
  const { path, text } = await readInputFile(file, 'a manifest or a deployment file')
  return basename(path) === 'manifest.json' || looksLikeManifest(text)
    ? parseManifest(text, file).warnings
    : deploymentWarnings(file)
}

async function deploymentWarnings(file: string): Promise<readonly string[]> {
  const { deployment, warnings } = await loadWithoutSandbox(file)
  const { backend } = await chooseBackend('auto')
  checkKeysFile(deployment, backend)
  checkSchedule(deployment.file, deployment.schedule, Date.now())
  return warnings
}

function text({ ok, file, warnings, error }: Finding): string {
  const lines = [
    ...warnings.map((warning) => `! ${warning}`),
    ok ? `✓ ${file} is right` : `✗ ${error}`,
  ]
  return printable(`${lines.join('\n')}\n`)
}
