import { execFileSync } from 'node:child_process'
import { fstatSync, readFileSync, readSync, writeSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeFd, createPipe } from '@causeway/native/process'
import { isRoot, ordinaryUid } from './job.ts'

/** A pipe that is closed after the test. */
function testPipe(ownerUid?: number) {
  const pipe = createPipe(ownerUid)
  onTestFinished(() => {
    closeFd(pipe.readFd)
    closeFd(pipe.writeFd)
  })
  return pipe
}

describe('createPipe', () => {
  it('carries bytes from one end to the other', () => {
    const { readFd, writeFd } = testPipe()
    const into = Buffer.alloc(5)
    writeSync(writeFd, 'hello')
    expect(readSync(readFd, into)).toBe(5)
    expect(into.toString()).toBe('hello')
  })

  it('is a pipe of this user, closed on exec', () => {
    const { readFd, writeFd } = testPipe()
    for (const fd of [readFd, writeFd]) {
      expect(fstatSync(fd)).toMatchObject({ uid: process.getuid?.() })
      expect(fstatSync(fd).isFIFO()).toBe(true)
      expect(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')).toMatch(/flags:\t02\d{6}/)
    }
  })

  it.skipIf(!isRoot)('can be opened again by the user it was given to', () => {
    const { readFd, writeFd } = testPipe(ordinaryUid)
    expect(fstatSync(readFd).uid).toBe(ordinaryUid)
    execFileSync('/bin/sh', ['-c', 'echo again > /dev/stdout'], {
      uid: ordinaryUid,
      gid: ordinaryUid,
      stdio: ['ignore', writeFd, 'pipe'],
    })
    const into = Buffer.alloc(16)
    expect(readSync(readFd, into)).toBe(6)
  })

  it('refuses what is no user id', () => {
    expect(() => createPipe(-1)).toThrowError(RangeError)
    expect(() => createPipe(0xffffffff)).toThrowError(/^ownerUid must be an integer/)
    expect(() => createPipe('0' as unknown as number)).toThrowError(TypeError)
  })
})

describe('closeFd', () => {
  it('fails like Node on a descriptor that is not open', () => {
    const { readFd, writeFd } = createPipe()
    closeFd(readFd)
    closeFd(writeFd)
    const notOpen = expect.objectContaining({ code: 'EBADF', errno: -9, syscall: 'close' })
    expect(() => closeFd(readFd)).toThrowError(notOpen)
  })
})
