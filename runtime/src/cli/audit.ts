/** `causeway audit`: shows and verifies the log of a deployment's key uses. @module */
import { once } from 'node:events'
import { join } from 'node:path'
import { withAuditKey } from '../audit/audit-key.ts'
import { describeLine } from '../audit/verify/describe-line.ts'
import { auditFolder, logNumbers } from '../audit/files/folder.ts'
import { linesByTime } from '../audit/verify/lines-by-time.ts'
import { verifyAuditLog, type AuditReport } from '../audit/verify/verify.ts'
import { exitCodes } from './exit-codes.ts'
import { untilReaderLeaves } from './failure.ts'
import { withDeploymentKeys, type DeploymentKeys } from './keys/deployment.ts'
import { type SharedOptions } from './options.ts'
import { printable } from './print/printable.ts'

interface ShowFlags extends SharedOptions {
  last?: number
  json?: boolean
}

interface VerifyFlags extends SharedOptions {
  json?: boolean
}

export async function show(reference: string, flags: ShowFlags): Promise<void> {
  const folders = await withDeploymentKeys(reference, flags, (keys) =>
    logsOf(keys).map(({ folder }) => folder),
  )
  const isRaw = flags.json && !process.stdout.isTTY
  await untilReaderLeaves(async () => {
    for (const line of linesByTime(folders, flags.last)) {
      await print(isRaw ? line : printable(flags.json ? line : describeLine(line)))
    }
  })
}

export async function verify(reference: string, flags: VerifyFlags): Promise<void> {
  const reports = await withDeploymentKeys(reference, flags, verifyAll)
  const text = flags.json ? `${JSON.stringify(jsonOf(reports))}\n` : reports.map(textOf).join('')
  process.stdout.write(process.stdout.isTTY ? printable(text) : text)
  if (reports.some(({ finding }) => finding)) process.exitCode = exitCodes.invalid
}

/** Finds all logs of a deployment: bridges that ran at the same time have one each. */
function logsOf({ stateFolder, label }: DeploymentKeys): { number: number; folder: string }[] {
  const all = join(stateFolder, 'audit')
  return logNumbers(all, label).map((number) => ({
    number,
    folder: auditFolder(all, label, number),
  }))
}

function verifyAll(keys: DeploymentKeys): AuditReport[] {
  return logsOf(keys).map(({ number, folder }) =>
    withAuditKey(keys.root, keys.label, number, (key) => verifyAuditLog(folder, key)),
  )
}

async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

function jsonOf(reports: readonly AuditReport[]) {
  const isOk = (report: AuditReport) => report.finding === undefined
  const logs = reports.map((report) => ({ ok: isOk(report), ...report }))
  return { ok: reports.every(isOk), logs }
}

function textOf({ finding, remarks, lines, first, last }: AuditReport): string {
  const result = finding
    ? `✗ ${finding.file}:${finding.line}: ${finding.what}`
    : `✓ ${lines} lines, ${first?.seq} to ${last?.seq}, ${timeOf(first)} to ${timeOf(last)}`
  return printable(`${[...remarks.map((remark) => `! ${remark}`), result].join('\n')}\n`)
}

function timeOf(line: AuditReport['last']): string {
  return line ? new Date(line.time).toISOString() : 'never'
}
