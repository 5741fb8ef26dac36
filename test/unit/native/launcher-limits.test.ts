import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run, ways } from './job.ts'

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
