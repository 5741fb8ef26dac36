/** Which failures are worth another try. */
import { expect, test } from 'vitest'
import { isFull, passes, saysPassing } from '../../../runtime/src/errors/host-fault.ts'
import { StartError } from '../../../runtime/src/errors/start-error.ts'

const failed = (code: string) => Object.assign(new Error('failed'), { code })

test.for([
  'bridge-launch: seccomp: Unknown error 524',
  'bridge-launch: storage /jobs/1/storage: No space left on device',
  'mkfs.ext4: No space left on device while writing out and closing file system',
  'no network for the job: spawn /usr/sbin/ip EAGAIN',
  'bind EMFILE: too many open files',
  'Disk quota exceeded',
  'the disk is too full for the image: it needs 2 bytes, 1 are available in /x',
  'fork: Resource temporarily unavailable',
])('passes: %s', (text) => {
  expect(saysPassing(text)).toBe(true)
  expect(passes(new StartError('SANDBOX_UNAVAILABLE', text))).toBe(true)
})

test.for([
  'bridge-launch: layer /jobs/1/storage/work: Bad message',
  'getaddrinfo EAI_AGAIN example.com',
  'error 5240',
  'job.sh: exec format error (ENOEXEC)',
])('stays: %s', (text) => {
  expect(passes(new Error(text))).toBe(false)
})

test('by its code, or by that of what caused it', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])
    expect(passes(new Error('x', { cause: failed(code) })), code).toBe(true)
  expect(passes(failed('ENOENT'))).toBe(false)
  expect(passes(undefined)).toBe(false)
  expect([isFull(failed('EDQUOT')), isFull(failed('EMFILE'))]).toEqual([true, false])
})
