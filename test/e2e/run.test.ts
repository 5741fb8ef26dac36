/**
 * `causeway run`: real programs of a Debian image inside PRoot.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeway, causewayBin, run, start, type Finished } from '../support/causeway.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import { writeDeployment, type DeploymentFiles } from '../support/deployment.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isRoot = process.getuid?.() === 0
const exampleJob = fileURLToPath(
  new URL('../../guest-sdk/examples/first-job/job.py', import.meta.url),
)

let image: { url: string; sha256: string }
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let state: string
let counter = 0

beforeAll(async () => {
  image = await recipeImage('python')
  folder = await temporaryFolder()
  state = join(folder.path, 'state')
})
afterAll(() => folder[Symbol.asyncDispose]())

type Spec = Omit<DeploymentFiles, 'image'>

const deploy = (spec: Spec) =>
  writeDeployment(join(folder.path, `job-${++counter}`), { image, ...spec })
const runArguments = (file: string) => ['run', file, '--state', state, '--allow-local-images']
const runJob = async (spec: Spec, ...flags: string[]): Promise<Finished> =>
  causeway([...runArguments(await deploy(spec)), ...flags])
const runScript = (script: string, deployment: object = {}) =>
  runJob({ files: { 'job.sh': script }, deployment }, '--quiet')

/** What a run has left: folders, and processes that name the state folder. */
function leftovers(): string[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes(join(state, 'deployments')))
  return [...readdirSync(join(state, 'deployments')), ...processes]
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe('the main job', () => {
  test('the example calls every method and ends with 0', async () => {
    const job = await readFile(exampleJob, 'utf8')
    const result = await runJob(
      {
        entrypoint: 'job.py',
        files: { 'job.py': job },
        deployment: { environment: { MESSAGE: 'x' } },
      },
      '--trace',
    )
    expect(result.code, result.stderr).toBe(0)
    for (const method of [
      'processor_version',
      'deployment_id',
      'deployment_ipfsHash',
      'deployment_slot',
    ]) {
      expect(result.stderr).toContain(method)
    }
    expect(result.stderr.match(/signer_(publicKey|sign|encrypt|decrypt)\(/g)).toHaveLength(12)
    expect(result.stdout).toContain('never saw a private key')
    expect(leftovers()).toEqual([])
  })

  test('signatures verify in the openssl program', async () => {
    const message = 'signed inside, checked outside'
    const job = `#!/usr/bin/env python3
import sys; sys.argv = ["job"]
exec(open("/root/job/client.py").read().split("def main")[0])
digest = hashlib.sha256(os.environ["MESSAGE"].encode()).hexdigest()
out = {c: [call("signer_publicKey", {"curve": c})["publicKey"], call("signer_sign", {"curve": c, "bytes": digest})["bytes"]] for c in ("p256", "secp256k1")}
print(json.dumps(out))`
    const files = { 'job.py': job, 'client.py': await readFile(exampleJob, 'utf8') }
    const result = await runJob(
      { entrypoint: 'job.py', files, deployment: { environment: { MESSAGE: message } } },
      '--quiet',
    )
    const signed = JSON.parse(result.stdout) as Record<string, [string, string]>
    for (const [curve, [publicKey, signature]] of Object.entries(signed)) {
      expect(await opensslVerifies(curve, publicKey, signature, message), curve).toBe(true)
      const broken = signature.replace(/^../, (byte) => (byte === '00' ? '01' : '00'))
      expect(await opensslVerifies(curve, publicKey, broken, message), curve).toBe(false)
    }
  })

  test('what one deployment encrypts another deployment decrypts', async () => {
    const client = (await readFile(exampleJob, 'utf8')).split('def main')[0]!
    const job = `${client}
curve, own = os.environ["CURVE"], call("deployment_encryptionKeys")["encryptionKeys"]
if "PEER" not in os.environ:
    print(own[curve])
else:
    params = {"curve": curve, "publicKey": os.environ["PEER"], "salt": os.environ["SALT"], "bytes": os.environ["BYTES"]}
    print(own[curve], call(os.environ["METHOD"], params)["bytes"])`
    const as = async (id: string, environment: object) => {
      const spec = {
        entrypoint: 'job.py',
        files: { 'job.py': job },
        deployment: { id, environment },
      }
      const result = await runJob(spec, '--quiet')
      expect(result.code, result.stderr).toBe(0)
      return result.stdout.trim().split(' ')
    }
    for (const CURVE of ['p256', 'secp256k1']) {
      const SALT = '0102'
      const BYTES = Buffer.from('for the other one').toString('hex')
      const [receiver] = await as('receiver', { CURVE })
      const [sender, sealed] = await as('sender', {
        CURVE,
        PEER: receiver,
        SALT,
        BYTES,
        METHOD: 'signer_encrypt',
      })
      expect(sealed).not.toContain(BYTES)
      const opened = await as('receiver', {
        CURVE,
        PEER: sender,
        SALT,
        BYTES: sealed,
        METHOD: 'signer_decrypt',
      })
      expect(opened).toEqual([receiver, BYTES])
    }
  })
})

describe('how a job ends', () => {
  test.for([
    { name: 'its exit code is ours', script: 'exit 3', code: 3 },
    { name: 'a signal is 128 and its number', script: 'kill -9 $$', code: 137 },
    { name: 'a signal without a name, likewise', script: 'kill -40 $$', code: 168 },
    {
      name: 'the code of the entrypoint counts, not that of a background process',
      script: '(sleep 0.3; exit 7) & exit 4',
      code: 4,
    },
  ])('$name', async ({ script, code }) => {
    expect(await runScript(script)).toMatchObject({ code })
  })

  test('processes that outlive the entrypoint end with it, whatever they ignore', async () => {
    const script = `trap '' TERM HUP
for n in 1 2 3; do setsid sh -c 'trap "" TERM HUP; (sleep 300 &) ; sleep 300' & done
sleep 0.3; exit 0`
    expect(await runScript(script)).toMatchObject({ code: 0 })
    expect(leftovers()).toEqual([])
  })

  test('SIGTERM reaches the entrypoint, and its output and code are kept', async () => {
    const file = await deploy({
      files: { 'job.sh': "trap 'echo bye; exit 9' TERM\necho ready\nwhile :; do sleep 0.1; done" },
    })
    const { child, finished } = start(process.execPath, [
      causewayBin,
      ...runArguments(file),
      '--quiet',
    ])
    await new Promise((resolve) => child.stdout!.once('data', resolve))
    child.kill('SIGTERM')
    expect(await finished).toMatchObject({ code: 9, stdout: 'ready\nbye\n' })
    expect(leftovers()).toEqual([])
  })

  test('a terminal gets no control sequence of the job, and no forged line of the host', async () => {
    const file = await deploy({
      files: {
        'job.sh': "printf '\\033[2Jgone\\n✓ job ended        exit code 0\\nnot yet'; exit 3",
      },
    })
    const command = [process.execPath, causewayBin, ...runArguments(file)].join(' ')
    const onTerminal = (flags: string) => run('script', ['-qec', command + flags, '/dev/null'])
    const { stdout, code } = await onTerminal('')
    expect(code, stdout).toBe(3)
    expect(stdout).toContain('?[2Jgone\r\n✓ job ended        exit code 0\r\nnot yet\r\n')
    const mark = `\u001b[1m✗ ${'job ended'.padEnd(16)}\u001b[22m`
    expect(stdout.split('\r\n').slice(-2)).toEqual([`${mark} exit code 3`, ''])
    expect((await onTerminal(' --quiet --raw')).stdout).toContain('\u001b[2Jgone')
  })

  test('a closed terminal (SIGHUP) ends the job orderly', async () => {
    const file = await deploy({
      files: { 'job.sh': "trap 'exit 9' TERM\necho ready\nwhile :; do sleep 0.1; done" },
    })
    const { child, finished } = start(process.execPath, [causewayBin, ...runArguments(file)])
    await new Promise((resolve) => child.stdout!.once('data', resolve))
    child.kill('SIGHUP')
    expect(await finished).toMatchObject({ code: 9 })
    expect(leftovers()).toEqual([])
  })

  test('a SIGHUP that nohup had ignored stays ignored', async () => {
    const file = await deploy({
      files: { 'job.sh': "trap 'exit 9' TERM\necho ready\nsleep 1 & wait $!\nexit 4" },
    })
    // What nohup(1) leaves in place of a terminal.
    const script = 'exec "$@" 0>/dev/null'
    const command = [process.execPath, causewayBin, ...runArguments(file)]
    const { child, finished } = start('/bin/sh', ['-c', script, 'sh', ...command])
    await new Promise((resolve) => child.stdout!.once('data', resolve))
    child.kill('SIGHUP')
    expect(await finished).toMatchObject({ code: 4 })
  })

  test('a job that ignores SIGTERM is killed after the grace period', async () => {
    const config = join(folder.path, 'grace.toml')
    await writeFile(config, '[sandbox]\nstopGraceMs = 200\n')
    const file = await deploy({
      files: { 'job.sh': "trap '' TERM\necho ready\nwhile :; do sleep 0.1; done" },
    })
    const { child, finished } = start(process.execPath, [
      causewayBin,
      ...runArguments(file),
      '--config',
      config,
    ])
    await new Promise((resolve) => child.stdout!.once('data', resolve))
    child.kill('SIGTERM')
    const end = await finished
    expect(end.code).toBe(137)
    expect(end.stderr).toContain('killed: stopped by the host')
    expect(leftovers()).toEqual([])
  })

  test('kill -9 of the runtime ends the job, and the next run removes its remains', async () => {
    const file = await deploy({ files: { 'job.sh': 'setsid sleep 300 &\necho ready\nsleep 300' } })
    const { child, finished } = start(process.execPath, [
      causewayBin,
      ...runArguments(file),
      '--quiet',
    ])
    await new Promise((resolve) => child.stdout!.once('data', resolve))
    child.kill('SIGKILL')
    await finished
    for (let tries = 0; tries < 50 && leftovers().some((line) => line.includes('/root\0')); tries++)
      await pause(20)
    expect(leftovers().filter((line) => line.includes('\0'))).toEqual([])
    expect(await runScript('exit 0')).toMatchObject({ code: 0 })
    expect(leftovers()).toEqual([])
  })
})

describe('two jobs at once', () => {
  test('under two state folders have two uids, and neither may call the other', async ({
    skip,
  }) => {
    skip(!isRoot, 'only root can give jobs uids of their own')
    const other = join(folder.path, 'other-state')
    const socket = `causeway-test-${randomUUID()}`
    const victim = await deploy({ files: { 'job.sh': 'echo ready; sleep 60' } })
    // In separate networks neither could even try.
    const config = join(folder.path, 'shared.toml')
    await writeFile(config, '[network]\nmode = "shared"\n')
    const { child, finished } = start(process.execPath, [
      causewayBin,
      ...runArguments(victim),
      '--config',
      config,
      '--quiet',
      '--socket',
      socket,
    ])
    await new Promise((resolve) => child.stdout!.once('data', resolve))
    const job = `#!/usr/bin/env python3
import os, socket
names = [line.split("@")[1].strip() for line in open("/proc/net/unix") if "@causeway-test" in line]
s = socket.socket(socket.AF_UNIX)
s.connect("\\0${socket}")
print(os.stat("/root").st_uid, len(names) > 0, s.makefile().readline())`
    const file = await deploy({ entrypoint: 'job.py', files: { 'job.py': job } })
    const attacker = await causeway([
      'run',
      file,
      '--state',
      other,
      '--config',
      config,
      '--allow-local-images',
      '--quiet',
    ])
    child.kill('SIGTERM')
    await finished
    expect(attacker.stdout, attacker.stderr).toMatch(
      /^0 True \{"jsonrpc":"2.0","error":\{"code":-32001,/,
    )
  })
})

describe.skipIf(process.arch !== 'x64')('what a job cannot do', () => {
  const python = (lines: string) => `#!/usr/bin/env python3
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def syscall(*args):
    result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    return os.strerror(ctypes.get_errno()) if result < 0 else result
${lines}`
  const runPython = (lines: string) =>
    runJob({ entrypoint: 'job.py', files: { 'job.py': python(lines) } }, '--quiet')

  test('leave its tracer by clone(CLONE_UNTRACED)', async () => {
    const result = await runPython(`
child = syscall(56, 0x00800000 | 17, 0, 0, 0, 0)
if child == 0:
    os.write(1, open("${causewayBin}").read(20).encode())
    os._exit(0)
print(child)
print(os.waitpid(os.fork() or os._exit(3), 0)[1])`)
    expect(result).toMatchObject({ code: 0, stdout: 'Operation not permitted\n768\n' })
  })

  test('see by quotactl which files the host has', async () => {
    const result = await runPython(`print(syscall(179, 0x80000700, b"${causewayBin}", 0, 0))`)
    expect(result.stdout).toBe('Function not implemented\n')
  })

  test("read the operator's session keyring", async () => {
    const job = `print(syscall(250, 10, -3, b"user", b"causeway-test", 0))`
    const file = await deploy({ entrypoint: 'job.py', files: { 'job.py': python(job) } })
    // Adds a key to the session keyring of the process that becomes the command, with add_key(2).
    const add = `import ctypes, os, sys
libc = ctypes.CDLL(None)
assert libc.syscall(250, 1, None) > 0
assert libc.syscall(248, b"user", b"causeway-test", b"secret", 6, -3) > 0
assert libc.syscall(250, 10, -3, b"user", b"causeway-test", 0) > 0
os.execv(sys.argv[1], sys.argv[1:])`
    const command = [process.execPath, causewayBin, ...runArguments(file), '--quiet']
    const result = await run('python3', ['-c', add, ...command])
    expect(result).toMatchObject({ code: 0, stdout: 'Operation not permitted\n' })
  })
})

describe('the state folder', () => {
  test('works under a umask that denies others everything', async () => {
    const path = join(folder.path, 'narrow')
    const file = await deploy({ files: { 'job.sh': 'echo "$0"' } })
    const command = [process.execPath, causewayBin, 'run', file, '--state', path, '--quiet']
    const umasked = `umask 077; exec "$@" --allow-local-images`
    const result = await run('sh', ['-c', umasked, 'sh', ...command])
    expect(result).toMatchObject({ code: 0, stdout: '/root/job/job.sh\n' })
  })

  test('outside /tmp also gets the loader of PRoot', async ({ skip }) => {
    skip(!isRoot, "a job's files are recognised by its uid")
    const begun = Date.now()
    const path = await mkdtemp('/var/tmp/causeway-test-')
    await chmod(path, 0o755)
    const file = await deploy({
      files: { 'job.sh': 'grep ^Uid: /proc/self/status | cut -f2; sleep 60' },
    })
    const args = ['run', file, '--state', path, '--allow-local-images', '--quiet']
    const { child, finished } = start(process.execPath, [causewayBin, ...args])
    const [uid] = (await once(child.stdout!, 'data')) as [string]
    const ofJob = () =>
      readdirSync('/tmp').filter((name) => {
        const found = statSync(join('/tmp', name), { throwIfNoEntry: false })
        return found?.uid === Number(uid) && found.ctimeMs >= begun
      })
    const left = ofJob()
    child.kill('SIGTERM')
    await finished
    await rm(path, { recursive: true })
    expect(Number(uid)).toBeGreaterThanOrEqual(1_900_000_000)
    expect([...left, ...ofJob()]).toEqual([])
  })

  test('that exists keeps its mode', async () => {
    const path = join(folder.path, 'mine')
    await mkdir(path, { mode: 0o755 })
    const file = await deploy({ files: { 'job.sh': 'exit 0' } })
    expect(await causeway(['run', file, '--state', path, '--allow-local-images'])).toMatchObject({
      code: 0,
    })
    expect((await stat(path)).mode & 0o7777).toBe(0o755)
  })

  test('that others can write to is refused', async () => {
    const path = join(folder.path, 'open')
    await mkdir(path)
    await chmod(path, 0o1777)
    const file = await deploy({ files: { 'job.sh': 'exit 0' } })
    const result = await causeway(['run', file, '--state', path])
    expect(result.code).toBe(125)
    expect(result.stderr).toContain(`STATE_UNREACHABLE: state folder ${path}: expected`)
    expect(result.stderr).toContain('mode 1777')
    expect((await stat(path)).mode & 0o7777).toBe(0o1777)
  })
})

describe('a reader that exits', () => {
  test('or reads nothing does not keep an ended run alive', async () => {
    const file = await deploy({ files: { 'job.sh': 'echo ready >&2; yes' } })
    const child = spawn(process.execPath, [causewayBin, ...runArguments(file), '--quiet'])
    await new Promise((resolve) => child.stderr.once('data', resolve))
    child.kill('SIGTERM')
    await once(child, 'exit')
    child.stdout.destroy()
    expect(leftovers()).toEqual([])
  })

  test('does not end the job, and leaves nothing', async () => {
    const file = await deploy({ files: { 'job.sh': 'seq 100000; exit 5' } })
    const command = `'${process.execPath}' '${causewayBin}' ${runArguments(file).join(' ')} 2>&1; echo $? >&3`
    const result = await run('sh', ['-c', `{ ${command}; } 3>&2 | head -1 >/dev/null`])
    expect(result).toMatchObject({ code: 0, stderr: '5\n' })
    expect(leftovers()).toEqual([])
  })
})

describe('what a job sees', () => {
  test('the defaults of the spec, the declared variables, and nothing of the host', async () => {
    const environment = {
      SPACES: ' a  b ',
      LINES: 'one\ntwo',
      QUOTES: `'"$HOME\`x\``,
      EMPTY: '',
      BRIDGE_SOCKET: 'mine',
    }
    // A unique name, which another run of the tests on this host does not have.
    const socket = `causeway-test-${randomUUID()}`
    const script = "tr '\\0' '\\1' < /proc/self/environ"
    const result = await runJob(
      { files: { 'job.sh': script }, deployment: { environment } },
      '--quiet',
      '--socket',
      socket,
    )
    const seen = Object.fromEntries(
      result.stdout
        .split('\x01')
        .filter(Boolean)
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    )
    // The shell itself adds these.
    for (const name of ['PWD', 'OLDPWD', 'SHLVL', '_']) delete seen[name]
    expect(seen).toEqual({
      ...environment,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      BRIDGE_SOCKET: socket,
    })
  })

  test('declared PATH and HOME take precedence', async () => {
    const result = await runScript('echo "$PATH $HOME"', {
      environment: { PATH: '/bin', HOME: '/tmp' },
    })
    expect(result.stdout).toBe('/bin /tmp\n')
  })

  test('its folder, its name in $0, fake root and resolvers', async () => {
    const result = await runScript(
      'pwd; echo "$0"; dirname "$0"; id -u; grep -c nameserver /etc/resolv.conf',
    )
    expect(result.stdout).toBe('/root/job\n/root/job/job.sh\n/root/job\n0\n5\n')
  })

  test('only its own root, through every call that takes a path', async () => {
    const secret = join(folder.path, 'host-only')
    await writeFile(secret, 'host')
    const script = `ls -l ${secret}; stat ${secret}; [ -e ${secret} ] && echo seen; [ -r ${secret} ] && echo seen; cat ${secret}
python3 -c "import os; print(os.path.exists('${secret}'), os.access('${secret}', os.R_OK))"`
    const result = await runScript(script)
    expect(result.stdout).toBe('False False\n')
  })

  test('standard output that it can open by name', async () => {
    expect((await runScript('echo out > /dev/stdout; echo err > /dev/stderr')).stdout).toBe('out\n')
  })

  test('only loopback through getifaddrs when the deployment asks for it', async () => {
    const script = `#!/usr/bin/env python3
import ctypes
class Ifaddrs(ctypes.Structure): pass
Ifaddrs._fields_ = [("next", ctypes.POINTER(Ifaddrs)), ("name", ctypes.c_char_p), ("flags", ctypes.c_uint)]
first = ctypes.POINTER(Ifaddrs)()
assert ctypes.CDLL(None).getifaddrs(ctypes.byref(first)) == 0
names = []
while first: names.append((first[0].name.decode(), hex(first[0].flags))); first = first[0].next
print(names)`
    const spec = { entrypoint: 'job.py', files: { 'job.py': script } }
    const loopback = await runJob({ ...spec, deployment: { interfaces: 'loopback' } }, '--quiet')
    expect(loopback.stdout).toBe("[('lo', '0x49')]\n")
  })

  test('a uid of its own on the host', async ({ skip }) => {
    skip(!isRoot, 'only root can give a job another uid')
    const result = await runScript("grep -E '^(Uid|Gid|Groups|NoNewPrivs):' /proc/self/status")
    expect(result.stdout.replaceAll(/[\t ]+/g, ' ')).toMatch(
      /^Uid: (19\d{8}) \1 \1 \1\nGid: \1 \1 \1 \1\nGroups: \nNoNewPrivs: 1\n$/,
    )
  })
})

describe('a job may be', () => {
  test('an executable of the image, given by its absolute path', async () => {
    const result = await runJob({ entrypoint: '/usr/bin/python3', files: {} }, '--quiet')
    expect(result).toMatchObject({ code: 0, stdout: '' })
  })

  test('a zip, whose CID is that of the file', async () => {
    const zipped = join(folder.path, 'zipped')
    await mkdir(zipped)
    await writeDeployment(zipped, { image, files: { 'job.sh': 'echo from the zip' } })
    await rm(join(zipped, 'deployment.json'))
    const zip = join(folder.path, 'bundle.zip')
    execFileSync('python3', [
      '-c',
      'import shutil,sys; shutil.make_archive(sys.argv[1][:-4], "zip", sys.argv[2])',
      zip,
      zipped,
    ])
    const file = join(folder.path, 'zipped.json')
    await writeFile(file, JSON.stringify({ bundle: 'bundle.zip' }))
    const result = await causeway([...runArguments(file), '--quiet'])
    expect(result).toEqual({ code: 0, signal: null, stdout: 'from the zip\n', stderr: '' })
  })
})

describe('as an ordinary user', () => {
  test('the same job runs under the user’s own uid and leaves nothing', async ({ skip }) => {
    skip(!isRoot, 'the other tests run as an ordinary user already')
    const home = join(folder.path, 'nobody')
    await mkdir(home)
    const bin = sharedBin()
    const job = await readFile(exampleJob, 'utf8')
    const file = await deploy({
      entrypoint: 'job.py',
      files: { 'job.py': job },
      deployment: { environment: { MESSAGE: 'x' } },
    })
    execFileSync('chown', ['-R', '65534:65534', home])
    const state = join(home, 'state')
    const args = [bin, 'run', file, '--state', state, '--allow-local-images', '--quiet']
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home }
    const result = await run(process.execPath, args, { uid: 65534, gid: 65534, env, cwd: '/' })
    expect(result.code, result.stderr).toBe(0)
    expect(result.stdout).toContain('never saw a private key')
    expect(readdirSync(join(state, 'deployments'))).toEqual([])
  })
})

/** Verifies with the openssl program, after converting raw `r||s` to DER. */
async function opensslVerifies(
  curve: string,
  publicKey: string,
  signature: string,
  message: string,
): Promise<boolean> {
  const header = {
    p256: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
    secp256k1: '3036301006072a8648ce3d020106052b8104000a032200',
  }[curve]!
  const base = join(folder.path, `verify-${curve}`)
  await writeFile(`${base}.pub`, Buffer.from(header + publicKey, 'hex'))
  await writeFile(`${base}.sig`, derSignature(Buffer.from(signature, 'hex')))
  const args = [
    'dgst',
    '-sha256',
    '-keyform',
    'DER',
    '-verify',
    `${base}.pub`,
    '-signature',
    `${base}.sig`,
  ]
  return (await run('openssl', args, { input: message })).stdout.includes('Verified OK')
}

function derSignature(raw: Buffer): Buffer {
  const integer = (bytes: Buffer) => {
    const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
    const value = (trimmed[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), trimmed]) : trimmed
    return Buffer.concat([Buffer.of(2, value.length), value])
  }
  const body = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))])
  return Buffer.concat([Buffer.of(0x30, body.length), body])
}
