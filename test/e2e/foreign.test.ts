/**
 * Images and entrypoints for another machine: told at once, or run in QEMU's user emulation.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostMachine } from '../../runtime/src/sandbox/proot/elf.ts'
import { createHost } from '../escape/host.ts'
import { daemonFolder, leftovers, probe, runJob, type Daemon } from '../escape/jobs.ts'
import { compileHostProcess, compileProbe } from '../escape/programs.ts'
import { users } from '../escape/users.ts'
import { compiled } from '../support/compiled.ts'
import { sharedBin } from '../support/copy-checkout.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { run, type Finished } from '../support/causeway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const compiler = 'aarch64-linux-gnu-gcc'

/** Tells where it runs, starts a program of its own machine and one of the host's, and ends as told. */
const source = `
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
static void *thread(void *text) { return text; }
static void start(const char *path, const char *argument) {
  fflush(stdout);
  if (fork() == 0) execl(path, path, argument, NULL), _exit(99);
  int status;
  wait(&status);
  printf("%d\\n", WEXITSTATUS(status));
}
int main(int count, char **arguments) {
  struct utsname names;
  pthread_t other;
  uname(&names);
  if (count > 1) return puts(names.machine) < 0 ? 1 : 5;
  printf("%s %s %s\\n", names.machine, getenv("WORDS"), arguments[0]);
  printf("%d %d\\n", open("/etc/passwd", O_RDONLY) >= 0, pthread_create(&other, NULL, thread, ""));
  printf("%d %d\\n", access("/host-rootfs/etc", F_OK), access(getenv("HOST_FILE"), F_OK));
  start(arguments[0], "child");
  start("/bin/busybox", "true");
  fflush(stdout);
  if (!strcmp(getenv("WORDS"), "killed")) kill(getpid(), SIGKILL);
  return 7;
}
`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let bin: string
let image: { url: string; sha256: string }
let program: Buffer

beforeAll(async () => {
  folder = await temporaryFolder()
  bin = sharedBin()
  image = await recipeImage('minimal')
  const flags = ['-static', '-pthread']
  program = await readFile(await compiled(folder.path, source, { compiler, flags }))
})
afterAll(() => run('rm', ['-rf', folder.path]))

/** The minimal image with the program for its shell. */
async function foreignImage(): Promise<{ url: string; sha256: string }> {
  const tree = join(folder.path, 'foreign')
  await mkdir(join(tree, 'bin'), { recursive: true })
  await mkdir(join(tree, 'etc'), { recursive: true })
  await writeFile(join(tree, 'bin/sh'), program, { mode: 0o755 })
  const archive = join(folder.path, 'foreign.tar')
  execFileSync('tar', ['-C', tree, '-cf', archive, 'bin', 'etc'])
  await chmod(archive, 0o644)
  const sha256 = createHash('sha256').update(await readFile(archive))
  return { url: pathToFileURL(archive).href, sha256: sha256.digest('hex') }
}

describe.each(users)('a daemon of $name', (user) => {
  const daemonWith = async (sandbox: Daemon['sandbox'] = {}): Promise<Daemon> => ({
    user,
    bin,
    folder: await daemonFolder(folder.path, user),
    image,
    sandbox,
  })
  const runProgram = (daemon: Daemon, words = 'two words'): Promise<Finished> =>
    runJob(daemon, {
      name: words.replace(' ', '-'),
      entrypoint: 'program',
      files: { program },
      deployment: { environment: { WORDS: words, HOST_FILE: folder.path } },
    })

  test('tells of an entrypoint both machines and what to do', async () => {
    const daemon = await daemonWith()
    const { code, stdout, stderr } = await runProgram(daemon)
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' })
    expect(stderr).toMatch(`/root/job/program is for aarch64, this host is ${hostMachine()}`)
    expect(stderr).toMatch(`use an image and entrypoint for ${hostMachine()}`)
    expect(stderr).toMatch('sandbox.qemu = true (Debian: apt-get install qemu-user-static)')
    expect(leftovers(daemon)).toEqual([])
  })

  test('tells the same of an image', async () => {
    const daemon = { ...(await daemonWith()), image: await foreignImage() }
    const { code, stderr } = await runJob(daemon, { name: 'image', files: { 'job.sh': 'exit 0' } })
    expect(code).toBe(125)
    expect(stderr).toMatch(`/bin/sh is for aarch64, this host is ${hostMachine()}`)
  })

  test('tells when the emulator is missing, and that it needs PRoot', async () => {
    const missing = await runProgram(await daemonWith({ qemu: '/nowhere' }))
    expect(missing.stderr).toMatch('expected qemu-aarch64-static, found none')
    const other = await runProgram(await daemonWith({ qemu: true, backend: 'namespaces' }))
    expect(other.stderr).toMatch('QEMU needs sandbox.backend = "proot"')
    expect([missing.code, other.code]).toEqual([125, 125])
  })

  test('runs it in the emulator, with its children, threads and real end', async () => {
    const daemon = await daemonWith({ qemu: true })
    const { code, stdout, stderr } = await runProgram(daemon)
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual([
      'aarch64 two words /root/job/program',
      '1 0',
      '-1 -1',
      'aarch64',
      '5',
      '0',
      '',
    ])
    expect(code).toBe(7)
    expect(await runProgram(daemon, 'killed')).toMatchObject({ code: 137 })
    expect(leftovers(daemon)).toEqual([])
  })

  test('keeps the probe in while it is emulated', async () => {
    const daemon = await daemonWith({ qemu: true })
    const hostProcess = await compileHostProcess(folder.path)
    await using host = await createHost(hostProcess, user)
    const before = host.state()
    const told = { tree: join(folder.path, 'none'), neighbour: join(folder.path, 'none') }
    const emulated = await compileProbe(folder.path, compiler)
    const { finished, all, reached } = await probe(daemon, {
      host,
      program: emulated,
      entrypoint: 'probe',
      told,
    })
    expect(finished.code).toBe(0)
    expect(all.length).toBeGreaterThan(230)
    expect(reached).toEqual([])
    expect(host.state()).toEqual(before)
    expect(host.calls).toEqual([])
  }, 180_000)
})
