/** `causeway doctor`: says what this host can do, and what to do about what it can't. @module */
import { loadConfig } from '../config/config.ts'
import { checkHost } from '../doctor/checks.ts'
import type { Finding, Status } from '../doctor/finding.ts'
import { openState } from '../state/state-folders.ts'
import { exitCodes } from './exit-codes.ts'

import { passphraseOf, type SharedOptions } from './options.ts'
import { printable } from './print/printable.ts'

const marks: Record<Status, string> = { ok: '✓', warning: '!', failure: '✗' }
const nameWidth = 16

export async function doctor(flags: SharedOptions & { json?: boolean }): Promise<void> {
  const findings = await checkHost({
    config: loadConfig(flags.config),
    openState: () => openState(flags.state),
    ...passphraseOf(flags),
  })
  const ok = findings.every(({ status }) => status !== 'failure')
  const text = flags.json ? `${JSON.stringify({ ok, findings })}\n` : textOf(findings)
  process.stdout.write(flags.json ? text : printable(text))
  if (!ok) process.exitCode = exitCodes.invalid
}

function textOf(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ name, status, detail, remedy }) => [
    `${marks[status]} ${name.padEnd(nameWidth)} ${detail}`,
    ...(remedy === undefined ? [] : [`  ${''.padEnd(nameWidth)} → ${remedy}`]),
  ])
  return `${lines.join('\n')}\n`
}
