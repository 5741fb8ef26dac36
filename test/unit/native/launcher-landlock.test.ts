import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { folder, isRoot, ordinaryUid, probe, run, starters, ways } from './job.ts'

const abi = probe(starters[0]!).landlockAbi
const abiWithScopes = 6

const place = join(folder, 'landlock')
const [closed, readable, writable] = ['closed', 'readable', 'writable'].map((name) =>
  join(place, name),
) as [string, string, string]

const own = isRoot ? ordinaryUid : (process.getuid?.() ?? 0)

beforeEach(() => {
  rmSync(place, { recursive: true, force: true })
  for (const path of [place, closed, readable, writable]) {
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'file'), 'text\n')
    writeFileSync(join(path, 'program'), '#!/bin/sh\necho ran\n')
    chmodSync(join(path, 'program'), 0o755)
    for (const name of ['', 'file', 'program']) chownSync(join(path, name), own, own)
  }
})

// What /bin/sh and its commands need on the host's own root.
const system = ['/bin', '/usr', '/lib', '/lib64'].filter((path) => existsSync(path))
const rules = [
  '--landlock',
  ...system.flatMap((path) => ['--execute', path]),
  ...['/etc', '/proc', readable].flatMap((path) => ['--read', path]),
  ...['/dev/null', writable].flatMap((path) => ['--write', path]),
]

describe.skipIf(abi === 0).each(ways)(
  'Landlock around a job started by $way',
  ({ starter, options }) => {
    const script = (text: string, more = rules) =>
      run(starter, [...options, ...more, '--', '/bin/sh', '-c', text])

    it('lets it read what it may read, and write what it may write', async () => {
      const { stdout, stderr } = await script(
        `cat ${readable}/file ${writable}/file; echo new > ${writable}/file; cat ${writable}/file
ls ${readable}; echo x > /dev/null; mkdir ${writable}/folder; mv ${writable}/file ${writable}/folder/; ls ${writable}`,
      )
      expect(stderr).toBe('')
      expect(stdout).toBe('text\ntext\nnew\nfile\nprogram\nfolder\nprogram\n')
    })

    it('lets it run only what it may run', async () => {
      const { stdout, stderr } = await script(
        `${writable}/program; ${readable}/program; ${closed}/program; cp /bin/echo ${writable}/echo; ${writable}/echo copied`,
      )
      expect(stdout).toBe('ran\ncopied\n')
      expect(stderr.match(/program: (?:Permission denied|not found)/g)).toHaveLength(2)
    })

    it('keeps everything else from it', async () => {
      const { stdout, stderr } = await script(
        `cat ${closed}/file ${place}/file; ls ${closed} /; echo x > ${closed}/file; echo x > ${readable}/file
rm ${readable}/file; mkdir ${readable}/folder; ln ${readable}/file ${writable}/hard; echo x > ${closed}/new; mknod ${closed}/fifo p`,
      )
      expect(stdout).toBe('')
      expect(stderr.trim().split('\n')).toHaveLength(11)
      expect(stderr).not.toMatch(/No such file|not found/)
      expect(readFileSync(join(closed, 'file'), 'utf8')).toBe('text\n')
      expect(readFileSync(join(readable, 'file'), 'utf8')).toBe('text\n')
    })

    it('is there only when it is asked for', async () => {
      const { stdout } = await script(`cat ${closed}/file`, [])
      expect(stdout).toBe('text\n')
    })

    it('needs no filter for programs that would raise rights', async () => {
      expect((await script('grep NoNewPrivs /proc/self/status')).stdout).toMatch(/\t1\n/)
    })

    it('fails when a path is not there', async () => {
      const { code, stderr } = await script('exit 0', ['--landlock', '--read', '/missing'])
      expect({ code, stderr }).toEqual({
        code: 125,
        stderr: 'bridge-launch: Landlock /missing: No such file or directory\n',
      })
    })
  },
)

const withoutNamespaces = ways.filter(({ namespaces }) => !namespaces)

describe.skipIf(abi < abiWithScopes).each(withoutNamespaces)(
  'signals of a job started by $way',
  ({ starter, options }) => {
    it('reach another process of its user only without Landlock', async () => {
      const user = isRoot ? { uid: own, gid: own } : {}
      const other = spawn('/bin/sleep', ['300'], { stdio: 'ignore', ...user })
      onTestFinished(() => void other.kill('SIGKILL'))
      await once(other, 'spawn')
      const script = `kill -CONT ${other.pid} && echo reached`
      const job = (more: string[]) =>
        run(starter, [...options, ...more, '--', '/bin/sh', '-c', script])
      expect((await job([])).stdout).toBe('reached\n')
      expect(await job(rules)).toMatchObject({
        stdout: '',
        stderr: expect.stringMatching(/Operation not permitted/) as string,
      })
    })
  },
)
