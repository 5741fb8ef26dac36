/**
 * Whether anything listens on the name: else a hundred checks would only report that.
 * @module
 */
import { formText, nodeForm, otherForm } from './address.ts'
import type { BridgeOptions } from './bridge.ts'
import { openConnection } from './connection.ts'
import { askWithProgram } from './other-client.ts'
import { CheckFailed } from './outcome.ts'
import { versionRequest } from './request.ts'

/** Why no connection is possible, and what to try; undefined when one is. */
export async function unreachable(options: BridgeOptions): Promise<string | undefined> {
  try {
    const connection = await openConnection({ ...options, allowance: { bytes: 0 } })
    connection.destroy()
    return undefined
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
    // A listener that is late or has no room still listens on this form.
    const listens = code === 'ECONNREFUSED' && (await listensElsewhere(options))
    return describe(options.name, error.found, listens)
  }
}

async function listensElsewhere(options: BridgeOptions): Promise<boolean> {
  const reply = await askWithProgram(options, otherForm, `${versionRequest}\n`)
  return reply !== undefined && reply.bytes.length > 0
}

function describe(name: string, found: string, listens: boolean): string {
  const tried = `the abstract socket ${JSON.stringify(name)} cannot be reached: ${found}`
  const how = `tried ${formText[nodeForm]}, as Node ${process.versions.node} connects`
  if (!listens) return `${tried} (${how})`
  const node = otherForm === 'exact' ? 'Node 22 or later' : 'Node 20'
  return `${tried} (${how}); it listens on ${formText[otherForm]} only: run the kit with ${node}`
}
