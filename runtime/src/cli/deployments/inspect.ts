/** `causeway inspect`: shows all that the daemon knows of a deployment. @module */
import type { DeploymentDetail, PastExecution, RunningExecution } from '../../control/protocol.ts'
import { describeExit } from '../../execution/contract/exit.ts'
import { onDeployment, type ControlFlags } from './control.ts'
import { print } from '../print/printable.ts'
import { labelled } from '../print/table.ts'

interface InspectFlags extends ControlFlags {
  json?: boolean
}

const shownExecutions = 10

export const inspect = onDeployment(async ({ client, params }, { json }: InspectFlags) => {
  const detail = await client.call('GET /v1/deployments/:id', { params })
  print(json ? JSON.stringify(detail) : describe(detail))
})

function describe(detail: DeploymentDetail): string {
  const { error, origin, image, entrypoint, restartPolicy, environment, current } = detail
  const { history = [], nextStart, deployedAt, missed } = detail
  const lines: [string, string | undefined][] = [
    ['deployment', detail.id],
    ['name', detail.name],
    ['state', error === undefined ? detail.state : `${detail.state}: ${error}`],
    ['waits for', detail.waiting],
    ['file', detail.file],
    ['deployed', time(deployedAt)],
    ['origin', origin && `${origin.kind} ${origin.source}`],
    ['bundle', detail.cid],
    ['image', image && `${image.url}, sha256 ${image.sha256}`],
    ['entrypoint', entrypoint && `${entrypoint}, restart ${restartPolicy}`],
    ['environment', environment?.join(' ')],
    ['next start', time(nextStart)],
    ['missed', missed ? String(missed) : undefined],
    ...(current ? currentLines(current) : []),
    ...history.slice(0, shownExecutions).map(pastLine),
  ]
  return lines.flatMap(([label, text]) => (text ? labelled(label, text) : [])).join('\n')
}

function currentLines(current: RunningExecution): [string, string | undefined][] {
  const { number, startedAt, deadline, attempts, restarts, socket, uid, sandbox } = current
  return [
    [
      `execution ${number}`,
      `since ${time(startedAt)}${deadline ? `, until ${time(deadline)}` : ''}`,
    ],
    ['attempt', `${attempts.at(-1)?.number ?? 0}, ${restarts} restarts`],
    ['socket', socket],
    ['sandbox', sandbox && `uid ${uid}, ${sandbox}`],
  ]
}

function pastLine(past: PastExecution): [string, string] {
  if (past.kind === 'missed') {
    return ['missed', `${past.count} due ${time(past.firstDue)} to ${time(past.lastDue)}`]
  }
  const attempts = past.attempts.at(-1)?.number ?? 0
  const text = `${time(past.startedAt)} to ${time(past.endedAt)}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${describeExit(past.exit)}`
  return [`execution ${past.number}`, text]
}

function time(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
