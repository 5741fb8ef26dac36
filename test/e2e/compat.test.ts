/** Common programs in a Debian image, with both backends and both kinds of daemon. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { daemonFolder, leftovers, runJob, type Daemon } from '../escape/jobs.ts'
import { users } from '../escape/users.ts'
import { run, type Finished } from '../support/causeway.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { smallPackages, toolsImage } from '../support/tools-image.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let bin: string
let image: { url: string; sha256: string }
let packages: Record<string, Buffer>

beforeAll(async () => {
  folder = await temporaryFolder()
  bin = sharedBin()
  image = await toolsImage()
  packages = await smallPackages(join(folder.path, 'packages'))
})
afterAll(() => run('rm', ['-rf', folder.path]))

const places = users.flatMap((user) =>
  (['proot', 'namespaces'] as const).map((backend) => ({ user, backend, name: user.name })),
)

describe.each(places)('a job of $name under $backend', ({ user, backend }) => {
  let daemon: Daemon
  let count = 0

  beforeAll(async () => {
    daemon = {
      user,
      bin,
      folder: await daemonFolder(folder.path, user),
      image,
      sandbox: { backend },
    }
  })
  afterAll(() => expect(leftovers(daemon)).toEqual([]))

  const runScript = (script: string, files: Record<string, string | Buffer> = {}) =>
    runJob(daemon, { name: `job-${++count}`, files: { 'job.sh': script, ...files } })
  const runFile = (entrypoint: string, text: string): Promise<Finished> =>
    runJob(daemon, { name: `job-${++count}`, entrypoint, files: { [entrypoint]: text } })
  const output = (stdout: string, code = 0): Finished => ({
    code,
    signal: null,
    stdout,
    stderr: '',
  })

  test('asks for files with ls, stat, test and bash', async () => {
    const script = `umask 022; printf 12345 > file; ln -s file link; chmod 640 file
ls -l file link | tr -s ' ' | cut -d' ' -f1,3,4,5,9-
stat -c '%n %s %a %U %F' file link /etc/passwd
stat -c '%n %a %F' /tmp
bash -c '[ -r file ] && [ ! -x file ] && [ -w /tmp ] && [ -d /usr/bin ] && [ -h link ] && echo right'
bash -c '[ -e ${folder.path} ] || [ -r ${folder.path} ] || echo absent'
test -u /usr/bin/passwd; ls -l ${folder.path} 2>&1 | sed 's/.*: //'
stat ${folder.path} 2>&1 | sed 's/.*: //'; find / -xdev -name hostname -path '/etc/*' | head -1`
    expect(await runScript(script)).toEqual(
      output(`-rw-r----- root root 5 file
lrwxrwxrwx root root 4 link -> file
file 5 640 root regular file
link 4 777 root symbolic link
/etc/passwd ${await sizeOfPasswd()} 644 root regular file
/tmp 1777 directory
right
absent
No such file or directory
No such file or directory
`),
    )
  })

  const sizeOfPasswd = async () => (await runScript('wc -c < /etc/passwd')).stdout.trim()

  test('runs Python: processes, locks, terminals, databases', async () => {
    const script = `#!/usr/bin/python3
import multiprocessing, os, pty, shutil, sqlite3, subprocess, tempfile, threading, asyncio
def square(n): return n * n
def insert(name):
    with sqlite3.connect(name, timeout=20) as base: base.execute("insert into t values (1)")
with multiprocessing.Pool(4) as pool: print(pool.map(square, range(5)))
with multiprocessing.Lock(): print("lock")
queue = multiprocessing.Queue(); queue.put("queue"); print(queue.get())
near, far = pty.openpty(); os.write(far, b"typed\\n"); print(os.read(near, 20), os.isatty(far))
print(subprocess.run(["sh", "-c", "cat; exit 4"], input=b"piped", capture_output=True))
name = tempfile.mkdtemp() + "/base"
with sqlite3.connect(name) as base: base.execute("create table t (n)")
workers = [multiprocessing.Process(target=insert, args=(name,)) for _ in range(8)]
for worker in workers: worker.start()
for worker in workers: worker.join()
print(sqlite3.connect(name).execute("select count(*) from t").fetchone())
shutil.copy(name, name + "2"); print(os.stat(name).st_size == os.stat(name + "2").st_size, os.access(name, os.R_OK))
async def child():
    process = await asyncio.create_subprocess_exec("echo", "async", stdout=-1)
    return (await process.communicate())[0]
print(asyncio.run(child()), sorted(os.scandir("/"), key=lambda e: e.name)[0].name, os.getuid())
from multiprocessing import shared_memory
memory = shared_memory.SharedMemory(create=True, size=4096); memory.buf[0] = 7; print(memory.buf[0]); memory.close(); memory.unlink()
`
    const result = await runFile('job.py', script)
    expect(result).toEqual(
      output(`[0, 1, 4, 9, 16]
lock
queue
b'typed\\r\\n' True
CompletedProcess(args=['sh', '-c', 'cat; exit 4'], returncode=4, stdout=b'piped', stderr=b'')
(8,)
True True
b'async\\n' .causeway 0
7
`),
    )
  })

  test('runs Node: files, threads, children, watchers', async () => {
    const script = `#!/usr/bin/node
const fs = require('fs'), { Worker } = require('worker_threads'), { execFileSync, spawn } = require('child_process')
console.log(process.version, fs.statSync(__filename).size === fs.readFileSync(__filename).length)
console.log(fs.existsSync('${folder.path}'), fs.statSync('${folder.path}', { throwIfNoEntry: false }))
fs.mkdirSync('a/b', { recursive: true }); fs.renameSync('a/b', 'c'); fs.cpSync('c', 'd', { recursive: true })
console.log(fs.readdirSync('.').join(), fs.realpathSync('/bin'), fs.accessSync('/etc/passwd', fs.constants.R_OK))
console.log(execFileSync('sh', ['-c', 'echo $0 $PPID'], { encoding: 'utf8' }).trim() === 'sh ' + process.pid)
const watcher = fs.watch('c', (event, name) => {
  watcher.close(); console.log('watched', name)
  const worker = new Worker("require('worker_threads').parentPort.postMessage(require('fs').statSync('/').isDirectory())", { eval: true })
  worker.on('message', (m) => {
    console.log('worker', m)
    spawn('sh', ['-c', 'kill -TERM $PPID'])
  })
})
process.on('SIGTERM', () => { console.log('terminated'); process.exit(9) })
fs.writeFileSync('c/file', '')
setInterval(() => {}, 1000)
`
    expect(await runFile('job.js', script)).toEqual(
      output(
        `${process.version} true
false undefined
a,c,d,job.js,manifest.json /usr/bin undefined
true
watched file
worker true
terminated
`,
        9,
      ),
    )
  })

  test('runs programs in Go and Rust', async () => {
    const script = `printf 'one\\ntwo\\nthree\\n' > lines
fzf --filter=tr < lines; rg --threads 4 -n t lines; rg -c root /etc/passwd; rg x ${folder.path} 2>/dev/null || echo none`
    expect(await runScript(script)).toEqual(output('three\n2:two\n3:three\n1\nnone\n'))
  })

  test('compiles a program', async () => {
    const source =
      '#include <stdio.h>\nint main(void) { return printf("compiled\\n") == 9 ? 6 : 1; }\n'
    const script = 'gcc -O2 -o hello hello.c && ./hello'
    expect(await runScript(script, { 'hello.c': source })).toEqual(output('compiled\n', 6))
  })

  test('clones a repository', async () => {
    const script = `export GIT_CONFIG_GLOBAL=/root/config; git config --global user.email a@b; git config --global user.name a
git init -q -b main one && cd one && seq 1000 > file && git add . && git commit -qm first && cd ..
git clone -q one two && git clone -q --no-local one three && cd three && git log --oneline | wc -l && git status --short
git fsck --no-progress && git gc -q && tail -1 ../two/file`
    expect(await runScript(script)).toEqual(output('1\n1000\n'))
  })

  test('installs Debian packages', async () => {
    const script = `export DEBIAN_FRONTEND=noninteractive
apt-get -q -y install ./*.deb > log 2>&1 || { cat log; exit 1; }
hello; readlink -f /usr/bin/nc; dpkg-query -W -f '\${Package} \${Status}\\n' hello netcat-openbsd
printf sent | nc -N -U /nothing 2>/dev/null || echo refused; apt-get -q -y remove hello > /dev/null 2>&1; ls /usr/bin/hello 2>/dev/null || echo gone`
    expect(await runScript(script, packages)).toEqual(
      output(`Hello, world!
/usr/bin/nc.openbsd
hello install ok installed
netcat-openbsd install ok installed
refused
gone
`),
    )
  })

  test('has its usual name, streams and descriptors', async () => {
    const script = `#!/bin/bash
echo "$0 $# $PWD"; echo out > /dev/stdout; echo err > /dev/stderr; echo three 3>&1 >&3 | cat
cat <(echo substituted) /dev/fd/9 9<<< here; read line < /dev/stdin || echo "no input"
trap 'echo caught' USR1; kill -USR1 $$; (exit 3); echo $?; sh -c 'kill -9 $$'; echo $?
(sleep 0.2; echo late) & wait; exec 5<>/dev/ptmx && echo terminal; ulimit -c; mktemp -u | cut -c1-9`
    const { code, stdout, stderr } = await runFile('job.bash', script)
    expect(stdout).toBe(`/root/job/job.bash 0 /root/job
out
three
substituted
here
no input
caught
3
137
late
terminal
0
/tmp/tmp.
`)
    expect(stderr).toMatch(/^err\n.*line 4: .*Killed.*\n$/)
    expect(code).toBe(0)
  })

  test.each([
    ['exit 0', 0],
    ['exit 255', 255],
    ['kill -TERM $$', 143],
    ['kill -SEGV $$', 139],
    ['sleep 0.3 && exit 9 & exit 2', 2],
  ])('ends with %s as %i', async (script, code) => {
    expect((await runScript(script)).code).toBe(code)
  })
})
