import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isAbandoned, ownedName } from '../../../runtime/src/state/process-tag.ts'
import { run } from '../../support/causeway.ts'

const module = new URL('../../../runtime/dist/state/process-tag.js', import.meta.url).href
const here = readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')

describe('the name of what a process made', () => {
  test('tells kind, PID namespace, pid and start, and is nobody else’s', () => {
    const [one, other] = [ownedName('job'), ownedName('job')]
    expect(one).toMatch(new RegExp(`^job-${here}-${process.pid}-[1-9]\\d*-[0-9a-f]{16}$`))
    expect(one).not.toBe(other)
  })

  test('is abandoned when its process is gone, and not before', async () => {
    const owner = spawn('sleep', ['300'])
    await once(owner, 'spawn')
    const name = ownedName('job', owner.pid)
    expect(isAbandoned('job', name)).toBe(false)
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    expect(isAbandoned('job', name)).toBe(true)
    expect(isAbandoned('run', name)).toBe(false)
  })

  const own = ownedName('job')
  test.for([
    ['of this process', own, false],
    ['of another process that has its pid', own.replace(/-\d+-([^-]+)$/, '-1-$1'), true],
    ['of the same numbers in another PID namespace', own.replace(here, '1'), false],
    ['of a process in another PID namespace that is not here', 'job-1-999999999-1-00', false],
    ['of a process that was not to be found', `job-${here}-999999999-0-00`, true],
    ['without a namespace', 'job-999999999-1-00', false],
    ['of something else', 'somebody-else', false],
    ['with more to it', `job-${here}-999999999-1-00.partial`, false],
    ['with more before it', `a-job-${here}-999999999-1-00`, false],
  ] as const)('%s: %s is abandoned: %s', ([, name, is]) => {
    expect(isAbandoned('job', name)).toBe(is)
  })

  test('of a living process in a container is not abandoned, nor one of ours to it', async ({
    skip,
  }) => {
    const unshare = (...command: string[]) =>
      run('unshare', ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', ...command])
    skip((await unshare('true')).code !== 0, 'no namespaces for users here')
    const inside = async (expression: string) => {
      const script = `import { isAbandoned, ownedName } from '${module}'; console.log(${expression})`
      const { stdout, stderr } = await unshare(
        process.execPath,
        '--input-type=module',
        '-e',
        script,
      )
      return stdout.trim() || stderr
    }
    const theirs = await inside(`ownedName('job')`)
    // A process of the same pid may well live here, and is another one.
    expect(theirs).toMatch(/^job-\d+-\d+-\d+-[0-9a-f]{16}$/)
    expect(theirs).not.toContain(here)
    expect(isAbandoned('job', theirs)).toBe(false)
    expect(await inside(`isAbandoned('job', '${own}')`)).toBe('false')
  })
})
