/** A signal that comes during a system call is no failure of it: the call is made again. */
import { execFile, execFileSync, spawn, spawnSync, type SpawnOptions } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { compress, rootOf } from '../images/tar-fixture.ts'
import { hello } from '../images/unpack-fixture.ts'
import { ended, folder, isInstalled, isRoot, launcher, ordinaryUid } from './job.ts'
import { inRoot, kinds, makePlace, stage } from './launcher-place.ts'
import { buildLauncher, buildUnpacker } from './program-build.ts'

const interrupting = fileURLToPath(new URL('interrupting.c', import.meta.url))
const source = (path: string) =>
  JSON.stringify(fileURLToPath(new URL(`../../../native/src/${path}/index.ts`, import.meta.url)))

it('a launcher starts jobs, and probes', async () => {
  const program = await buildLauncher(folder, 'interrupted-launch', [interrupting])
  const probed = [program, launcher].map((path) =>
    execFileSync(path, ['--probe'], { encoding: 'utf8' }),
  )
  expect(probed[0]).toBe(probed[1])
  for (const kind of kinds) {
    const job = [inRoot(kind, '/bin/busybox'), 'sh', '-c', 'echo ran; exit 3']
    const args = [...stage(kind, makePlace(kind)), '--', ...job]
    const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], env: {} }
    const child = spawn(program, args, { ...options, ...kind.starter.spawn })
    expect(await ended(child), kind.kind).toMatchObject({ code: 3, stdout: 'ran\n', stderr: '' })
  }
})

it('an image is unpacked', async ({ skip }) => {
  skip(!isInstalled('xz'), 'no xz')
  const program = await buildUnpacker(folder, 'interrupted-unpack', [interrupting])
  const cwd = join(folder, 'unpacked')
  mkdirSync(cwd, { mode: 0o700 })
  if (isRoot) chownSync(cwd, ordinaryUid, ordinaryUid)
  const identity = isRoot ? ['--uid', `${ordinaryUid}`, '--gid', `${ordinaryUid}`] : []
  const args = [...identity, '--', '/usr/bin/xz', '-dc']
  const input = compress('tar.xz', rootOf(hello))
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, input, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain('"entries":3')
})

it('the addon answers a caller, and takes a lock', async () => {
  const library = join(folder, 'interrupting.so')
  execFileSync('cc', ['-shared', '-fPIC', '-DFOR_NODE', '-o', library, interrupting])
  const script = `
    import { connect } from 'node:net'
    import { startBridgeEngine } from ${source('.')}
    import { lockFile } from ${source('process')}
    const name = ${JSON.stringify(randomUUID())}
    const [uid, pid] = [process.getuid(), process.pid]
    const limits = { maxLineBytes: 99, lineTimeoutMs: Infinity, maxConnections: 9,
      maxBufferedBytes: 9999, sendTimeoutMs: Infinity, maxDrainBytes: 99, drainTimeoutMs: 0 }
    const engine = startBridgeEngine({
      name,
      limits,
      notices: {
        lineTooLong: '', lineTooLate: '', tooManyConnections: '', buffersFull: '', peerRejected: '',
        onlyBlankLines: '',
      },
      onLine: (line, peer, tag) => engine.reply(tag, line + ' ' + engine.judgeAgain(tag)?.reason),
      onLinesEnd() {},
      onRefusal: ({ reason }) => console.log(reason),
    })
    engine.admit({ by: 'pid-namespace', uid, pid })
    console.log(lockFile(${JSON.stringify(join(folder, 'lock'))}) > 0)
    const socket = connect('\\0' + name)
    socket.on('data', (text) => console.log(text.toString().trim()))
    socket.on('close', () => engine.close('')).write('hello\\n')`
  const tsx = ['--import', fileURLToPath(import.meta.resolve('tsx'))]
  const program = ['--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@causeway/source', ...tsx, ...program],
    { env: { ...process.env, LD_PRELOAD: library }, timeout: 60_000 },
  )
  expect(stdout).toBe('true\nhello undefined\n')
})
