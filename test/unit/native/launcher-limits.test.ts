import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compile, isRoot, launch, launcher, run, ways } from './job.ts'
import { kinds, makePlace, stage } from './launcher-place.ts'

describe.each(ways)('limits of a job started by $way', ({ starter, options, namespaces }) => {
  const limits = async (more: string[]) => {
    const args = [...options, ...more, '--', '/bin/cat', '/proc/self/limits']
    const { stdout } = await run(starter, args)
    return (name: string) =>
      new RegExp(`^Max ${name} +(\\S+) +(\\S+)`, 'm').exec(stdout)?.slice(1).map(Number)
  }

  // 1 stops a core handler behind a pipe as well; whoever has 0 may not raise it.
  const coresOfOthers = () => {
    const line = /^Max core file size +(\S+) +(\S+)/m.exec(
      readFileSync('/proc/self/limits', 'utf8'),
    )
    return line?.[2] === '0' ? [0, 0] : [1, 1]
  }

  it('are those that it was given, with no way back', async () => {
    const more = ['--max-processes', '77', '--max-files', '88', '--max-file-bytes', '99999']
    const of = await limits(more)
    expect([of('processes'), of('open files'), of('file size'), of('core file size')]).toEqual([
      [77, 77],
      [88, 88],
      [99999, 99999],
      coresOfOthers(),
    ])
    const args = [...options, ...more, '--', '/bin/sh', '-c', 'ulimit -n 89 || echo refused']
    expect((await run(starter, args)).stdout).toBe('refused\n')
  })

  it('are never above those of whoever starts it', async () => {
    const least = await limits([])
    const of = await limits(['--max-files', '4000000000', '--max-processes', '4000000000'])
    expect(of('open files')![1]).toBe(least('open files')![1])
    expect(of('processes')![1]).toBe(least('processes')![1])
  })

  it.runIf(isRoot && starter.spawn.uid === undefined)(
    'include no realtime priority',
    ({ skip }) => {
      const raised = ['--rtprio=7', '--']
      skip(spawnSync('prlimit', [...raised, 'true']).status !== 0, 'this root may raise no limits')
      const job = [launcher, ...options, '--', '/bin/cat', '/proc/self/limits']
      const { stdout } = spawnSync('prlimit', [...raised, ...job], { encoding: 'utf8' })
      expect(stdout).toMatch(/^Max realtime priority +0 +0 /m)
    },
  )

  it('bite on the size of a file', async () => {
    const script =
      'head -c 20000 /dev/zero > /dev/shm/causeway-limit-$$; echo $?; stat -c %s /dev/shm/causeway-limit-$$; rm /dev/shm/causeway-limit-$$'
    const args = [...options, '--max-file-bytes', '10000', '--', '/bin/sh', '-c', script]
    // SIGXFSZ
    expect((await run(starter, args)).stdout).toBe('153\n10000\n')
  })

  // Counted within a user namespace; else with whatever else this host runs as the same user.
  it.runIf(namespaces && starter.options.length === 0)(
    'bite on the number of processes',
    async () => {
      const script = 'for n in 1 2 3 4 5 6 7 8; do sleep 5 & done; echo all'
      const args = [...options, '--max-processes', '4', '--', '/bin/sh', '-c', script]
      const { stdout, stderr } = await run(starter, args)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/Cannot fork/)
    },
  )

  it('keep it on one processor when it is told one', async () => {
    const cpus = async (more: string[]) => {
      const args = [...options, ...more, '--', '/bin/cat', '/proc/self/status']
      return /^Cpus_allowed_list:\t(.*)$/m.exec((await run(starter, args)).stdout)?.[1]
    }
    const [first] = (await cpus([]))!.split(/[,-]/)
    expect(await cpus(['--cpu', first!])).toBe(first)
    expect(await run(starter, [...options, '--cpu', '1023', '--', '/bin/true'])).toMatchObject({
      code: 125,
      stderr: 'bridge-launch: affinity: Invalid argument\n',
    })
  })
})

/** Holds timers and inotify instances, and says how many. */
const holder = compile(
  'hold',
  `
#include <stdio.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  timer_t timer;
  int timers = 0, instances = 0;
  while (timers < 48 && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0) timers++;
  while (instances < 64 && inotify_init() >= 0) instances++;
  printf("%d %d\\n", timers, instances);
  fflush(stdout);
  pause();
}
`,
  'cc',
  ['-static'],
)

describe.each(kinds)('what the kernel counts by user for $kind', (kind) => {
  const isRoots = isRoot && kind.starter.spawn.uid === undefined

  /** Starts it; resolves once it holds them. */
  async function hold() {
    const bind = ['--bind', `${holder}:/helpers/hold`]
    const child = launch(kind.starter, [
      ...stage(kind, makePlace(kind)),
      ...bind,
      '--',
      '/helpers/hold',
    ])
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    const [timers, instances] = line.toString().trim().split(' ').map(Number)
    return { timers, instances, pid: child.pid! }
  }

  it.runIf(isRoots)('is not counted for root', async () => {
    // Pending signals of all processes of the user who runs the tests, which is root.
    const pending = () =>
      Number(/^SigQ:\t(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
    const before = pending()
    expect(await hold()).toMatchObject({ timers: 48, instances: 64 })
    // A few signals may come and go meanwhile.
    expect(pending() - before).toBeLessThan(24)
  })

  it.runIf(!isRoots)('leaves a part to the user', async () => {
    const most = Number(readFileSync('/proc/sys/fs/inotify/max_user_instances', 'utf8'))
    const { instances, pid } = await hold()
    expect(instances).toBe(Math.min(64, Math.floor(most / 4)))
    const signals = (process: string) =>
      /^Max pending signals +(\S+)/m.exec(readFileSync(`/proc/${process}/limits`, 'utf8'))?.[1]
    const own = Number(signals('self'))
    expect(Number(signals(`${pid}`))).toBe(Math.floor(own / 4) * 3)
  })
})
