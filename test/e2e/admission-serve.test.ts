/**
 * `causeway serve`: for the caller's own user, and for no other.
 */
import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { admitted, callTwice, refused } from '../support/admission-calls.ts'
import { readLog } from '../support/admission-log.ts'
import { environmentIn, makeStage, stateOf } from '../support/admission-run.ts'
import { useRuns } from '../support/admission-runs.ts'
import { isRoot, ordinaryUid, ways, type Way } from '../support/admission-ways.ts'
import { start } from '../support/causeway.ts'

const runs = useRuns()

// No job is started: what jobs are known by makes no difference.
const [ours, ...others] = ways
const servers = [
  { who: ours!.uid === 0 ? 'root' : 'an ordinary user', way: ours! },
  ...others
    .filter(({ uid }) => uid !== 0)
    .slice(0, 1)
    .map((way) => ({ who: 'an ordinary user', way })),
]

/** `causeway serve` as the user of that way, once it is ready. */
async function serveAs(way: Way, folder: string) {
  const file = join(folder, 'served.json')
  await writeFile(file, '{"id":"1"}')
  const args = ['serve', file, '--state', stateOf(way, folder)]
  const [program, ...rest] = way.command(await makeStage(folder), args)
  const { child, finished } = start(program, rest, { env: environmentIn(folder), cwd: '/' })
  const logged = readLog(child.stderr!)
  const [ready] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const stop = () => {
    child.kill('SIGTERM')
    return finished
  }
  return { socket: (JSON.parse(ready) as { socket: string }).socket, logged, stop }
}

describe.each(servers)('causeway serve of $who', ({ way }) => {
  test('admits that user', async () => {
    const { socket, stop } = await serveAs(way, runs.common().folder)
    const caller = await runs.stranger(isRoot ? way.uid : undefined)
    expect(await callTwice(caller, socket)).toMatchObject(admitted)
    expect(await stop()).toMatchObject({ code: 0, stderr: '' })
  })

  test('refuses another user, and tells of it', async ({ skip }) => {
    skip(!isRoot, 'only root can start processes of other users')
    const { socket, logged, stop } = await serveAs(way, runs.common().folder)
    const uid = way.uid === 0 ? ordinaryUid : 0
    const stranger = await runs.stranger(uid)
    expect(await callTwice(stranger, socket)).toMatchObject(refused)
    expect(await logged(({ reason }) => reason !== undefined)).toMatchObject({
      reason: 'uid',
      observed: uid,
      peer: { uid, pid: stranger.hostPid(), command: stranger.hello.label },
    })
    const { code, stderr } = await stop()
    expect(code).toBe(0)
    expect(stderr).toContain('"refused":{"uid":1}')
  })
})
