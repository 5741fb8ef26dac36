import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { compile, ended, launch, ways } from './job.ts'
import { untilCount, withToken } from './processes.ts'

let tokens = 0
/** A number of seconds that no other process sleeps. */
const uniqueToken = () => `3${process.pid}.${Date.now()}${tokens++}`

/** A session of its own, a double fork, an ignored SIGTERM, a deep chain, a stopped process. */
const daemons = (token: string) => `
setsid sleep ${token} &
(setsid sh -c 'sleep ${token} & exec sleep ${token}' &)
(trap "" TERM HUP INT; exec sleep ${token}) &
sh -c 'sh -c "sh -c \\"sleep ${token}; true\\"; true"; true' &
sh -c 'kill -STOP $$; exec sleep ${token}' ${token} &
`
const daemonCount = 6

/** Starts the daemons and a main that stays or ends. */
async function startTree(way: (typeof ways)[number], main: string) {
  const token = uniqueToken()
  const script = `${daemons(token)} ${main}`
  const child = launch(way.starter, [...way.options, '--', '/bin/sh', '-c', script], {
    stdio: 'pipe',
  })
  return { token, child, end: ended(child) }
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals) {
  child.kill(signal)
  const start = performance.now()
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, ms: performance.now() - start }
}

describe.each(ways)('the tree of a job started by $way', (way) => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('is gone after %s', async (signal) => {
    const { token, child } = await startTree(way, 'sleep 1000')
    await untilCount(token, daemonCount)
    const { code, ms } = await stopped(child, signal)
    expect(withToken(token)).toEqual([])
    expect(code).toBe(137)
    expect(ms).toBeLessThan(1000)
  })

  it("is gone after main's end", async () => {
    const { token, child, end } = await startTree(way, 'read line; exit 3')
    await untilCount(token, daemonCount)
    child.stdin?.end('end\n')
    expect(await end).toMatchObject({ code: 3, stderr: '' })
    expect(withToken(token)).toEqual([])
  })

  it.runIf(way.namespaces)('is gone after the launcher was killed', async () => {
    const { token, child } = await startTree(way, 'sleep 1000')
    await untilCount(token, daemonCount)
    await stopped(child, 'SIGKILL')
    expect(await untilCount(token, 0, 1000)).toEqual([])
  })

  it('is gone even when it forks without end', async () => {
    const token = uniqueToken()
    const program = compile('storm', storm)!
    const child = launch(way.starter, [...way.options, '--', program, token])
    await once(child.stdout!, 'data')
    await stopped(child, 'SIGTERM')
    expect(withToken(token)).toEqual([])
  }, 30_000)
})

/** Every process hands over to a fresh one and ends, a hundred at a time. */
const storm = `
#include <unistd.h>
#include <signal.h>
int main(void) {
  signal(SIGCHLD, SIG_IGN);
  for (int i = 0; i < 50; i++) {
    if (fork()) continue;
    for (;;) {
      if (fork()) _exit(0);
      setsid();
      usleep(500);
    }
  }
  write(1, "x", 1);
  for (;;) pause();
}
`
