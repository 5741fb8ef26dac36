/**
 * Searches the whole memory of a real bridge's process after thousands of uses of its keys, and
 * tests that the ways to that memory are closed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../support/causeway.ts'
import { scanMemory, type Hit } from '../support/signer-memory.ts'
import { byteNeedles, needlesOf, secretsIn } from '../support/signer-needles.ts'
import { coreLimits, listeningTcp, procOwner } from '../support/signer-process-doors.ts'
import { misuseAllKeys, useAllKeys } from '../support/signer-served-calls.ts'
import { serveKnownKeys, type ServedKeys } from '../support/signer-served.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isRoot = process.getuid?.() === 0
const ordinaryUid = 65534
const onlyRoot = 'only root reads the memory of a process that is not dumpable'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const namesOf = (hits: readonly Hit[]) => [...new Set(hits.map(({ secret }) => secret))].toSorted()
const unlocked = (hits: readonly Hit[]) => hits.filter(({ isLocked }) => !isLocked)
const needlesIn = ({ secrets: { kept, derived } }: ServedKeys) => [
  ...needlesOf(kept),
  ...byteNeedles(derived),
]
const secretsWritten = (text: string, { secrets: { kept, derived } }: ServedKeys) =>
  secretsIn(text, [...kept, ...derived])
const heldKeys = [
  'HD seed',
  'ed25519',
  'encryption p256',
  'encryption secp256k1',
  'p256',
  'secp256k1',
]

describe('the native signer', () => {
  let served: ServedKeys
  beforeAll(async () => {
    const node = ['--heapsnapshot-signal=SIGUSR2']
    served = await serveKnownKeys({ folder: join(folder.path, 'native'), node })
    await useAllKeys(served.call)
    await misuseAllKeys(served.call)
  })
  afterAll(() => served?.end())

  test('has every private key in locked memory, and no copy anywhere else', ({ skip }) => {
    skip(!isRoot, onlyRoot)
    const hits = scanMemory(served.ready.pid, needlesIn(served))
    expect(unlocked(hits)).toEqual([])
    expect(namesOf(hits)).toEqual(expect.arrayContaining(heldKeys))
    expect(namesOf(hits)).not.toContain('root secret')
    expect(namesOf(hits)).not.toContain('account')
  })

  test('has no key in a snapshot of the JavaScript heap', async () => {
    process.kill(served.ready.pid, 'SIGUSR2')
    const snapshots = () =>
      readdirSync(join(folder.path, 'native')).filter((name) => name.endsWith('.heapsnapshot'))
    // Node writes the whole snapshot before it answers again.
    while (snapshots().length === 0) await served.call('signer_publicKey', { curve: 'p256' })
    await served.call('signer_publicKey', { curve: 'p256' })
    const snapshot = readFileSync(join(folder.path, 'native', snapshots()[0]!), 'latin1')
    expect(snapshot).toContain('signer_publicKey')
    expect(secretsWritten(snapshot, served)).toEqual([])
  })

  test('leaves no core file', () => {
    for (const limit of coreLimits(served.ready.pid)) expect(['0', '1']).toContain(limit)
  })

  test('does not open the debugger on SIGUSR1', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root may look into a process that is not dumpable')
    process.kill(served.ready.pid, 'SIGUSR1')
    // Node would open it within a turn of its event loop; each call takes one.
    for (let count = 0; count < 200; count++) {
      await served.call('signer_publicKey', { curve: 'p256' })
    }
    expect(listeningTcp(served.ready.pid)).toEqual([])
  })

  test('has no key in logs of every level, replies and files that it wrote', async () => {
    const { stdout, stderr, code } = await served.end()
    expect(code).toBe(0)
    expect(stderr).toContain('"level":')
    expect(secretsWritten(stdout + stderr + served.replies.join(''), served)).toEqual([])
    const written = readdirSync(folder.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.includes('audit'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    expect(written.join('')).toContain('signer_sign')
    expect(secretsWritten(written.join(''), served)).toEqual([])
  })
})

test('imported keys leave no copy right after the start', async ({ skip }) => {
  skip(!isRoot, onlyRoot)
  // A fresh process: later, a garbage collection could hide a copy.
  await using served = await serveKnownKeys({
    folder: join(folder.path, 'fresh'),
    node: ['--max-semi-space-size=64', '--min-semi-space-size=64'],
  })
  expect(namesOf(unlocked(scanMemory(served.ready.pid, needlesIn(served))))).toEqual([])
})

test('the portable signer leaves copies of every key, which native avoids', async ({ skip }) => {
  skip(!isRoot, onlyRoot)
  await using served = await serveKnownKeys({
    folder: join(folder.path, 'portable'),
    backend: 'portable',
  })
  await useAllKeys(served.call)
  const hits = scanMemory(served.ready.pid, needlesIn(served))
  expect(namesOf(unlocked(hits))).toEqual(expect.arrayContaining(heldKeys))
})

describe('other processes of the same user', () => {
  const readMemory = (pid: number) =>
    run('dd', [`if=/proc/${pid}/mem`, 'of=/dev/null', 'bs=1', 'count=0'], {
      cwd: '/',
      uid: ordinaryUid,
      gid: ordinaryUid,
    })

  test('cannot read the memory of the bridge, as they can of others', async ({ skip }) => {
    skip(!isRoot, 'only root can start processes of another user')
    await using served = await serveKnownKeys({
      folder: join(folder.path, 'ordinary'),
      uid: ordinaryUid,
    })
    const other = spawn('sleep', ['1000'], { uid: ordinaryUid, gid: ordinaryUid })
    await once(other, 'spawn')
    expect([procOwner(served.ready.pid), procOwner(other.pid!)]).toEqual([0, ordinaryUid])
    expect((await readMemory(served.ready.pid)).stderr).toContain('Permission denied')
    expect((await readMemory(other.pid!)).code).toBe(0)
    other.kill()
  })
})

test('a Node that is not hardened opens the debugger (control for the test above)', async () => {
  const script = 'console.log(1); setInterval(() => {}, 1000)'
  const other = spawn(process.execPath, ['--inspect-port=0', '-e', script])
  await once(other.stdout, 'data')
  other.kill('SIGUSR1')
  const [said] = (await once(other.stderr, 'data')) as [Buffer]
  expect(String(said)).toContain('Debugger listening')
  expect(listeningTcp(other.pid!)).toHaveLength(1)
  other.kill('SIGKILL')
})
