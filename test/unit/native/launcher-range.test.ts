import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compile, run } from './job.ts'
import {
  firstOfRange,
  inRoot,
  kinds,
  makePlace,
  rangeSize,
  runScript,
  stage,
} from './launcher-place.ts'

// CAP_CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE,
// SYS_CHROOT and SETFCAP, by their numbers in capabilities(7).
const kept = [0, 1, 3, 4, 5, 6, 7, 8, 10, 18, 31].reduce((sum, number) => sum + 2 ** number, 0)
const keptInside = kept.toString(16).padStart(16, '0')
const none = '0'.repeat(16)

describe.each(kinds)('the capabilities of $kind', (kind) => {
  const capabilities = async () => {
    const script = `cat /proc/self/status`
    const { stdout } = await runScript(kind, makePlace(kind), script)
    return new Map(
      [...stdout.matchAll(/^(Cap\w+):\t(\w+)$/gm)].map(([, name, set]) => [name!, set!]),
    )
  }

  it('are those of a container, or none', async () => {
    const own = kind.pivots ? keptInside : none
    expect(Object.fromEntries(await capabilities())).toEqual({
      CapInh: none,
      CapPrm: own,
      CapEff: own,
      CapBnd: own,
      CapAmb: none,
    })
  })
})

/** Says of each thing that root may do whether it worked, as "-" and the errno if not. */
const rights = `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static int become(uid_t uid) {
  int status;
  if (fork() == 0) {
    gid_t groups[] = {uid, uid ? uid - 1 : 0};
    if (setgroups(2, groups) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)) _exit(errno);
    int fd = open("/tmp/of-others", O_CREAT | O_WRONLY, 0600);
    if (fd < 0 || getuid() != uid) _exit(99);
    _exit(unlink("/tmp/of-others") ? errno : 0);
  }
  wait(&status);
  errno = WEXITSTATUS(status);
  return errno ? -1 : 0;
}

static int unshared(int flags) {
  int status;
  if (fork() == 0) _exit(unshare(flags) ? errno : 0);
  wait(&status);
  errno = WEXITSTATUS(status);
  return errno ? -1 : 0;
}

#define TRY(name, call) printf("%s %d\\n", name, (call) < 0 ? -errno : 0)

int main(void) {
  umask(0);
  close(open("/tmp/file", O_CREAT | O_WRONLY, 0600));
  chmod("/tmp", 01777);
  TRY("become 1000", become(1000));
  TRY("become 65535", become(65535));
  TRY("become 65536", become(65536));
  TRY("chown 65535", chown("/tmp/file", 65535, 65535));
  TRY("chown 65536", chown("/tmp/file", 65536, 65536));
  TRY("chmod setuid", chmod("/tmp/file", 04755));
  TRY("mount", mount("none", "/tmp", "tmpfs", 0, ""));
  TRY("umount /proc", umount2("/proc", MNT_DETACH));
  TRY("remount /sys", mount("none", "/sys", NULL, MS_REMOUNT | MS_BIND, NULL));
  TRY("mknod", mknod("/tmp/disk", S_IFBLK | 0600, makedev(7, 0)));
  TRY("sethostname", sethostname("other", 5));
  TRY("mount namespace", unshared(CLONE_NEWNS));
  TRY("network namespace", unshared(CLONE_NEWNET));
  TRY("chroot", chroot("/tmp"));
}
`
const program = compile('rights', rights, 'cc', ['-static'])

const rangeKinds = kinds.filter(({ owner }) => owner === firstOfRange)

describe.skipIf(rangeKinds.length === 0)('a job with 65,536 ids', () => {
  const kind = rangeKinds[0]!
  const place = () => makePlace(kind)

  it('has them, from 0 on', async () => {
    const { stdout } = await runScript(kind, place(), 'cat /proc/self/uid_map /proc/self/gid_map')
    const line = [0, firstOfRange, rangeSize].join(' ')
    expect(stdout.replaceAll(/ +/g, ' ').trim().split('\n ')).toEqual([line, line])
  })

  it('is root over its own files and ids, and over nothing else', async () => {
    const own = place()
    const args = [...stage(kind, own), '--bind', `${program}:/helpers/rights`]
    const { stdout } = await run(kind.starter, [...args, '--', '/helpers/rights'])
    const [EPERM, EINVAL] = [-1, -22]
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ (?=-?\d+$)/))
    expect(Object.fromEntries(answers)).toEqual({
      'become 1000': '0',
      'become 65535': '0',
      'become 65536': `${EINVAL}`,
      'chown 65535': '0',
      'chown 65536': `${EINVAL}`,
      'chmod setuid': '0',
      mount: `${EPERM}`,
      'umount /proc': `${EPERM}`,
      'remount /sys': `${EPERM}`,
      mknod: `${EPERM}`,
      sethostname: `${EPERM}`,
      'mount namespace': `${EPERM}`,
      'network namespace': `${EPERM}`,
      chroot: '0',
    })
    const last = firstOfRange + rangeSize - 1
    expect(statSync(join(own.upper, 'tmp/file'))).toMatchObject({ uid: last, gid: last })
  })

  it('has no right over what is bound into it', async () => {
    const script = `${inRoot(kind, '/bin/busybox')} stat -c %u:%g /helpers; chown 0:0 /helpers`
    const bound = ['--bind', '/usr:/helpers']
    const { stdout, stderr } = await runScript(kind, place(), script, bound)
    expect(stdout).toBe('65534:65534\n')
    expect(stderr).toMatch(/Read-only file system/)
  })
})
