/**
 * A `causeway serve` whose keys the test knows.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sharedBin } from './copy-checkout.ts'
import { causewayBin, start, type Finished, type ReadyLine } from './causeway.ts'
import { sendRaw } from './raw-client.ts'
import { writeKnownKeys, type KnownSecrets } from './signer-served-keys.ts'

export type Call = (method: string, params: object) => Promise<Record<string, string>>

/** The bridge, its secrets and its replies so far. */
export interface ServedKeys extends AsyncDisposable {
  ready: ReadyLine
  secrets: KnownSecrets
  /** Lines that came back. */
  replies: string[]
  /** Gives the result, or the error. */
  call: Call
  /** SIGTERM, and all that it printed. */
  end(): Promise<Finished>
}

export interface ServeOptions {
  /** A folder that is not there yet. */
  folder: string
  backend?: 'native' | 'portable'
  /** Arguments of Node. */
  node?: readonly string[]
  /** Runs the bridge as this user; root only. */
  uid?: number
}

export async function serveKnownKeys(options: ServeOptions): Promise<ServedKeys> {
  const { folder, backend = 'native', node = [], uid } = options
  const secrets = writeKnownKeys(folder, backend)
  const user = uid === undefined ? {} : { uid, gid: uid }
  const bin = uid === undefined ? causewayBin : sharedBin()
  if (uid !== undefined) giveTo(folder, uid)
  const files = [join(folder, 'deployment.json'), '--config', join(folder, 'config.toml')]
  const flags = ['--state', folder, '--no-limits', '--log-level', 'trace']
  const args = [...node, bin, 'serve', ...files, ...flags]
  const { child, finished } = start(process.execPath, args, { cwd: folder, ...user })
  const failed = finished.then(({ stderr }) => Promise.reject(new Error(`serve ended: ${stderr}`)))
  const lines = createInterface({ input: child.stdout! })
  const [line] = (await Promise.race([once(lines, 'line'), failed])) as [string]
  failed.catch(() => {})
  const ready = JSON.parse(line) as ReadyLine
  const end = () => {
    child.kill('SIGTERM')
    return finished
  }
  const replies: string[] = []
  return {
    ready,
    secrets,
    replies,
    call: caller(ready.socket, replies),
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  }
}

function giveTo(folder: string, uid: number): void {
  execFileSync('chown', ['-R', `${uid}:${uid}`, folder])
}

function caller(socket: string, replies: string[]): Call {
  return async (method, params) => {
    const request = JSON.stringify({ jsonrpc: '2.0', method, params: [params], id: 1 })
    const { text } = await sendRaw(socket, [`${request}\n`])
    replies.push(text)
    const { result, error } = JSON.parse(text) as Record<'result' | 'error', Record<string, string>>
    return result ?? error
  }
}
