import { describe, expect, test } from 'vitest'
import {
  environmentFault,
  jobEnvironment,
  startBlock,
} from '../../../../runtime/src/sandbox/root/environment.ts'

describe('the environment of a job', () => {
  const defaults = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
  }
  test.for([
    { name: 'defaults', declared: {}, seen: { ...defaults, S: 'host' } },
    {
      name: 'declared ones win',
      declared: { PATH: '/x' },
      seen: { ...defaults, PATH: '/x', S: 'host' },
    },
    { name: 'but not over the host', declared: { S: 'mine' }, seen: { ...defaults, S: 'host' } },
  ])('$name', ({ declared, seen }) => {
    expect(jobEnvironment(declared, { S: 'host' })).toEqual(seen)
  })

  test('preloads the shim before the libraries that the job preloads', () => {
    expect(jobEnvironment({}, {}, '/shim')['LD_PRELOAD']).toBe('/shim')
    expect(jobEnvironment({ LD_PRELOAD: '/a' }, {}, '/shim')['LD_PRELOAD']).toBe('/shim:/a')
  })

  test('follows the command in the input of the init, each string terminated by NUL', () => {
    const block = startBlock(['/bin/sh', '/a b'], { A: 'x y', B: '' })
    expect(block.toString()).toBe('/bin/sh\0/a b\0\0A=x y\0B=\0')
  })
})

describe('an environment that the kernel would refuse', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`V${i}`, '']))
  test.for([
    {
      name: 'one long value',
      environment: { A: '', LONG: 'x'.repeat(131_072) },
      fault: '.LONG: expected at most',
    },
    {
      name: 'too many',
      environment: many(5000),
      fault: ': expected at most 4080 variables, found 5000',
    },
    {
      name: 'too much',
      environment: { A: 'x'.repeat(131_000), B: 'x'.repeat(131_000) },
      fault: ': expected at most 261120 bytes',
    },
  ])('$name', ({ environment, fault }) => {
    expect(environmentFault(environment)).toContain(fault)
    expect(environmentFault(environment)).not.toContain('xxx')
  })

  test('is accepted up to the limits', () => {
    expect(environmentFault(many(4080))).toBeUndefined()
    expect(environmentFault({ A: 'x'.repeat(131_069 - 1) })).toBeUndefined()
  })
})
