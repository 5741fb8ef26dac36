import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { nativePaths } from '@causeway/native'
import { compile, ended, folder, isRoot, launcher, ordinaryUid, run, starters } from './job.ts'
import { inRoot, kinds, makePlace, stage } from './launcher-place.ts'

const [starter] = starters
const given = starter!.options

/** Arguments NUMBER[:FIRST]: makes each call, with arguments that fail in some way when it is allowed. */
const calls = `
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int at = 1; at < argc; at++) {
    const char *colon = strchr(argv[at], ':');
    errno = 0;
    syscall(atoi(argv[at]), colon ? atol(colon + 1) : -1, 0, 0, 0, 0, 0);
    printf("%s", errno == ENOSYS ? "-" : errno == EPERM ? "!" : "+");
  }
}
`
const program = process.arch === 'x64' ? compile('calls', calls, 'cc', ['-static']) : undefined

const filters = ['plain', 'traced', 'traced-no-statx'] as const
type Filter = (typeof filters)[number]

async function answers(numbers: readonly (number | string)[], filter?: Filter): Promise<string> {
  const options = filter ? ['--filter', filter] : []
  const { stdout } = await run(starter!, [
    ...given,
    ...options,
    '--',
    program!,
    ...numbers.map(String),
  ])
  return stdout
}

/** Arguments NUMBER[:ARGUMENT]...: makes each call with these, and says its errno or 0. */
const wholeCalls = `
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int at = 1; at < argc; at++) {
    unsigned long given[7] = {0};
    char *text = argv[at];
    for (int i = 0; i < 7; i++) given[i] = strtoul(text, &text, 0), text += *text == ':';
    long result = syscall((long)given[0], given[1], given[2], given[3], given[4], given[5], given[6]);
    printf("%d ", result < 0 && result >= -4095 ? errno : 0);
  }
}
`
const wholeProgram = program && compile('whole-calls', wholeCalls, 'cc', ['-static'])

/** What each call, with its arguments, answers under a filter: names of errnos, or `ok`. */
async function outcomes(
  filter: Filter,
  rows: readonly string[],
  more: readonly string[] = [],
): Promise<string[]> {
  const args = [...given, '--filter', filter, ...more, '--', wholeProgram!, ...rows]
  const numbers = (await run(starter!, args)).stdout.trim().split(' ').map(Number)
  const named = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]))
  return numbers.map((number) => (number === 0 ? 'ok' : (named.get(number) ?? errnos[number]!)))
}

/** Those that Node does not name. */
const errnos: Record<number, string> = { 94: 'ESOCKTNOSUPPORT' }

/** No job has these: there is no such call. */
const absent = {
  'file handles': [303, 304],
  io_uring: [425, 426, 427],
  'asynchronous calls of the older kind': [206],
  open_tree: [428, 467],
  mounts: [429, 430, 431, 432, 433, 442],
  clone3: [435],
  quotactl_fd: [443],
  'statmount and listmount': [457, 458],
  'x32 calls': [0x40000000, 0x40000002, 0x40000027],
}

/** No job may make these. */
const forbidden = {
  'mount, umount2, pivot_root and setns': [165, 166, 155, 308],
  'bpf, perf_event_open and userfaultfd': [321, 298, 323],
  'keys of the kernel': [248, 249, 250],
  'modules and other kernels': [175, 313, 176, 246, 320],
  'reboot, swap, accounting and the log': [169, 167, 168, 163, 103, 153],
  'the clock': [164, 227, 305, 159],
  'watches on all files': [300, 301],
  'what nobody calls any more': [212, 172, 173, 134, 136, 139],
}

/** Jobs under a tracer have none of these, because it does not translate them. */
const untranslated = {
  openat2: [437],
  faccessat2: [439],
  fchmodat2: [452],
  execveat: [322],
  quotactl: [179],
  'xattrat calls': [463, 464, 465, 466],
  'file_getattr and file_setattr': [468, 469],
  'calls that do not exist yet': [470, 999, 1 << 20],
}

/** Every job has these. */
const allowed = {
  'pidfd calls': [424, 434, 438],
  close_range: [436],
  'memory calls': [440, 447, 448, 450],
  epoll_pwait2: [441],
  landlock: [444, 445, 446],
  futexes: [449, 454, 455, 456],
  'old path calls': [2, 4, 59, 257, 262, 269],
  'old link and owner calls': [86, 88, 92, 94],
  'limits of its own': ['302:0'],
}

describe.skipIf(!program)('the system call filter', () => {
  const each = (rows: Record<string, readonly (number | string)[]>) =>
    Object.entries(rows).flatMap(([name, numbers]) =>
      filters.map((filter) => ({ name, numbers, filter })),
    )

  it.each(each(absent))('$filter: has no $name', async ({ numbers, filter }) => {
    expect(await answers(numbers, filter)).toBe('-'.repeat(numbers.length))
  })

  it.each(each(forbidden))('$filter: forbids $name', async ({ numbers, filter }) => {
    expect(await answers(numbers, filter)).toBe('!'.repeat(numbers.length))
  })

  it.each(each(allowed))('$filter: lets $name through', async ({ numbers, filter }) => {
    expect(await answers(numbers, filter)).toMatch(/^[+!]+$/)
  })

  it.each(each(untranslated))('$filter: $name', async ({ numbers, filter }) => {
    const expected = filter === 'plain' ? await answers(numbers) : '-'.repeat(numbers.length)
    expect(await answers(numbers, filter)).toBe(expected)
  })

  it('is what answers so', async () => {
    expect(await answers([...absent.clone3, ...absent.open_tree, ...untranslated.openat2])).toBe(
      '++-+'.replace('-', await answers([467])),
    )
    expect(await answers([...forbidden['keys of the kernel'], 308, 298])).toBe('+++++')
  })

  it('hides statx from jobs under an old tracer only', async () => {
    expect(await answers([332], 'plain')).toBe('+')
    expect(await answers([332], 'traced')).toBe('+')
    expect(await answers([332], 'traced-no-statx')).toBe('-')
  })

  it('leaves programs the older calls', async () => {
    const script = 'ls -l /etc/passwd && [ -r /etc/passwd ] && stat /etc/passwd'
    for (const filter of filters) {
      const args = [...given, '--filter', filter, '--', '/bin/sh', '-c', script]
      expect(await run(starter!, args)).toMatchObject({ code: 0, stderr: '' })
    }
  })

  it('keeps the limits of other processes from jobs under a tracer', async () => {
    const script = `${program} 302:0 302:1 302:$$ 302:$PPID`
    const limits = async (filter: Filter) => {
      const args = [...given, '--filter', filter, '--', '/bin/sh', '-c', script]
      return (await run(starter!, args)).stdout
    }
    expect(await limits('traced')).toBe('+!!!')
    expect(await limits('traced-no-statx')).toBe('+!!!')
    expect(await limits('plain')).toMatch(/^\+.\+/)
  })
})

/** Arguments "clone" or "unshare", then flags: tries each in a child, and says the errno or 0. */
const flagCalls = `
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int attempt(int is_clone, unsigned long flags) {
  if (!is_clone) return unshare((int)flags) ? errno : 0;
  long pid = syscall(SYS_clone, flags | 17, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  if (pid < 0) return errno;
  waitpid((pid_t)pid, NULL, __WALL);
  return 0;
}
int main(int argc, char **argv) {
  for (int at = 2; at < argc; at++) {
    int status;
    if (fork() == 0) _exit(attempt(!strcmp(argv[1], "clone"), strtoul(argv[at], NULL, 16)));
    wait(&status);
    printf("%d ", WEXITSTATUS(status));
  }
}
`
const flagsProgram = program && compile('flags', flagCalls, 'cc', ['-static'])

const namespaces = {
  mount: 0x20000,
  cgroup: 0x2000000,
  uts: 0x4000000,
  ipc: 0x8000000,
  user: 0x10000000,
  pid: 0x20000000,
  network: 0x40000000,
}
const timeNamespace = 0x80
const untraced = 0x800000

describe.skipIf(!program).each(filters)('the filter %s', (filter) => {
  const tried = async (call: string, flags: readonly number[]) => {
    const words = flags.map((flag) => flag.toString(16))
    const args = [...given, '--filter', filter, '--', flagsProgram!, call, ...words]
    return (await run(starter!, args)).stdout.trim().split(' ').map(Number)
  }
  const EPERM = 1

  it('allows no namespace, alone or with others', async () => {
    const flags = Object.values(namespaces)
    const more = [...flags, ...flags.map((flag) => flag | 0x200), flags.reduce((a, b) => a | b)]
    expect(await tried('clone', more)).toEqual(more.map(() => EPERM))
    expect(await tried('unshare', [...more, timeNamespace])).toEqual([...more, 0].map(() => EPERM))
  })

  it('allows no child that its tracer does not see', async () => {
    expect(await tried('clone', [untraced, untraced | 0x200])).toEqual([EPERM, EPERM])
  })

  it('allows processes and threads', async () => {
    expect(await tried('clone', [0, 0x200, 0x4100])).toEqual([0, 0, 0])
    expect(await tried('unshare', [0, 0x200, 0x400])).toEqual([0, 0, 0])
    const script =
      'import threading; t = threading.Thread(target=print, args=("ran",)); t.start(); t.join()'
    const args = [...given, '--filter', filter, '--', '/usr/bin/python3', '-c', script]
    expect((await run(starter!, args)).stdout).toBe('ran\n')
  })
})

/** FAMILY:TYPE:PROTOCOL of socket(2) and what it answers. */
const sockets = {
  'a Unix stream': ['1:1:0', 'ok'],
  'Unix packets': ['1:5:0', 'ok'],
  'TCP by default': ['2:1:0', 'ok'],
  'TCP by its number, close-on-exec': ['10:0x80001:6', 'ok'],
  'UDP, non-blocking': ['2:0x802:17', 'ok'],
  'UDP over IPv6': ['10:2:0', 'ok'],
  'routes and addresses': ['16:3:0', 'ok'],
  'events of devices': ['16:3:15', 'EPROTONOSUPPORT'],
  'sockets of others': ['16:2:4', 'EPROTONOSUPPORT'],
  'the audit log': ['16:3:9', 'EPROTONOSUPPORT'],
  'packet rules': ['16:3:12', 'EPROTONOSUPPORT'],
  'whatever is generic': ['16:3:16', 'EPROTONOSUPPORT'],
  'a protocol that does not exist yet': ['16:3:31', 'EPROTONOSUPPORT'],
  'netlink behind bits that the kernel drops': ['0x100000010:3:15', 'EPROTONOSUPPORT'],
  MPTCP: ['2:1:262', 'EPROTONOSUPPORT'],
  'UDP-Lite': ['10:2:136', 'EPROTONOSUPPORT'],
  SCTP: ['2:1:132', 'EPROTONOSUPPORT'],
  'SCTP by its type': ['2:5:0', 'ESOCKTNOSUPPORT'],
  'DCCP by its type': ['10:6:0', 'ESOCKTNOSUPPORT'],
  'packets by an old type': ['2:10:3', 'ESOCKTNOSUPPORT'],
  packets: ['17:3:3', 'EAFNOSUPPORT'],
  'the hypervisor': ['40:1:0', 'EAFNOSUPPORT'],
  'cryptography of the kernel': ['38:5:0', 'EAFNOSUPPORT'],
} as const

describe.skipIf(!program).each(filters)('sockets with the filter %s', (filter) => {
  it('are of the usual families, types and protocols only', async () => {
    const rows = Object.values(sockets)
    const seen = await outcomes(
      filter,
      rows.map(([socket]) => `41:${socket}`),
    )
    const names = Object.keys(sockets)
    const named = (all: readonly string[]) => all.map((text, index) => `${names[index]}: ${text}`)
    expect(named(seen)).toEqual(named(rows.map(([, answer]) => answer)))
  })
})

/** Calls for huge pages, each with another argument that the kernel would refuse; and for ordinary ones. */
const pages = {
  'mmap of huge pages': ['9:0:0x200000:3:0x40002:0xffffffffffffffff', 'ENOMEM'],
  'mmap of huge pages of 1 GiB': ['9:0:0x40000000:3:0x78040002:0xffffffffffffffff', 'ENOMEM'],
  'mmap of no file': ['9:0:0x200000:3:0x2:0xffffffffffffffff', 'EBADF'],
  mmap: ['9:0:0x200000:3:0x22:0xffffffffffffffff', 'ok'],
  'a file of huge pages': ['319:0:4', 'ENOMEM'],
  'a file without a name': ['319:0:1', 'EFAULT'],
  'shared huge pages': ['29:0x7fcafe01:0x200000:04600', 'ENOMEM'],
  'shared pages': ['29:0x7fcafe01:0x200000:0600', 'ENOENT'],
} as const

describe.skipIf(!program).each(filters)('huge pages with the filter %s', (filter) => {
  it('are not there', async () => {
    const rows = Object.values(pages)
    const seen = await outcomes(
      filter,
      rows.map(([call]) => call),
    )
    expect(seen).toEqual(rows.map(([, answer]) => answer))
  })
})

/** Calls that would install a filter if their last argument were one. */
const filterCalls = {
  'a filter of the socket': ['54:0:1:26', 'ENOPROTOOPT'],
  'a program of the socket': ['54:0:1:50', 'ENOPROTOOPT'],
  'a filter of a group of sockets': ['54:0:1:51', 'ENOPROTOOPT'],
  'a program of a group of sockets': ['54:0:1:52', 'ENOPROTOOPT'],
  'many datagrams as one packet': ['54:0:17:103', 'ENOPROTOOPT'],
  'another option of the socket': ['54:0:1:2', 'ENOTSOCK'],
  'the same number of another level': ['54:0:6:26', 'ENOTSOCK'],
} as const
const ownFilters = ['157:22:2', '317:1:0:0', '317:1:1:0']
const aboutFilters = ['157:21', '317:2:0:0']

describe.skipIf(!program).each(filters)('filters of jobs with the filter %s', (filter) => {
  it('of sockets are refused: their memory is the whole host’s', async () => {
    const rows = Object.values(filterCalls)
    const seen = await outcomes(
      filter,
      rows.map(([call]) => call),
    )
    expect(seen).toEqual(rows.map(([, answer]) => answer))
  })

  it('of calls are refused, except before a tracer that needs them', async () => {
    expect(await outcomes(filter, ownFilters)).toEqual(ownFilters.map(() => 'EINVAL'))
    const free = await outcomes(filter, ownFilters, ['--filters-more'])
    expect(free).toEqual(ownFilters.map(() => 'EFAULT'))
  })

  it('of calls can still be asked about', async () => {
    expect(await outcomes(filter, aboutFilters)).toEqual(['ok', 'EFAULT'])
  })
})

/** Runs a program; says of each process that installs a filter its capabilities and user namespace. */
const watchFilters = `
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int is_ours(pid_t pid) {
  char path[64], ours[64] = "", its[64] = "";
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  return readlink("/proc/self/ns/user", ours, 63) > 0 && readlink(path, its, 63) > 0 && !strcmp(ours, its);
}
static void report(pid_t pid) {
  struct __ptrace_syscall_info at = {0};
  ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof at, &at);
  if (at.op != PTRACE_SYSCALL_INFO_ENTRY || at.entry.nr != SYS_prctl) return;
  if (at.entry.args[0] != PR_SET_SECCOMP) return;
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *status = fopen(path, "r");
  while (fgets(line, sizeof line, status)) {
    if (!strncmp(line, "CapEff:", 7)) printf("%llx %s\\n", strtoull(line + 7, NULL, 16), is_ours(pid) ? "ours" : "its own");
  }
  fclose(status);
}
int main(int argc, char **argv) {
  pid_t first = fork(), pid;
  int status;
  if (first == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execv(argv[1], argv + 1);
    _exit(127);
  }
  waitpid(first, &status, 0);
  ptrace(PTRACE_SETOPTIONS, first, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                          PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
  ptrace(PTRACE_SYSCALL, first, 0, 0);
  while ((pid = waitpid(-1, &status, __WALL)) > 0) {
    if (!WIFSTOPPED(status)) continue;
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) report(pid);
    int is_stop = signal == (SIGTRAP | 0x80) || signal == SIGTRAP || signal == SIGSTOP;
    ptrace(PTRACE_SYSCALL, pid, 0, is_stop ? 0 : signal);
  }
}
`

describe.runIf(isRoot && program)('our own filters', () => {
  const watch = compile('watch-filters', watchFilters)!
  const [admin, bpf] = [1n << 21n, 1n << 39n]

  /** For each filter that the program installs: whether the kernel would always have memory for it. */
  async function installed(command: readonly string[]): Promise<boolean[]> {
    const child = spawn(watch, command, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder, env: {} })
    const rows = (await ended(child)).stdout.matchAll(/^([0-9a-f]+) (ours|its own)$/gm)
    return [...rows].map(([, held, users]) => {
      const capabilities = BigInt(`0x${held}`)
      return users === 'ours' && (capabilities & (admin | bpf)) !== 0n
    })
  }

  // Else a user who fills net.core.bpf_jit_limit keeps every job from starting.
  it.each(filters)('%s is installed while still capable', async (filter) => {
    const command = [launcher, ...given, '--filter', filter, '--', '/bin/true']
    expect(await installed(command)).toEqual([true])
  })

  it.each(kinds.filter(({ starter: { options } }) => options.length > 0))(
    'that of $kind is, too',
    async (kind) => {
      const filter = kind.pivots ? 'plain' : 'traced'
      const program = [inRoot(kind, '/bin/busybox'), 'sh', '-c', ':']
      const command = [...stage(kind, makePlace(kind)), '--filter', filter, '--', ...program]
      expect(await installed([launcher, ...command])).toEqual([true])
    },
  )

  it('those of the unpacker and its decoder are, too', async () => {
    const user = ['--uid', `${ordinaryUid}`, '--gid', `${ordinaryUid}`]
    const command = [nativePaths.unpacker, ...user, '--', '/usr/bin/xz', '-dc']
    expect(await installed(command)).toEqual([true, true])
  })
})

/** getpid by the door of 32-bit programs, as every program may try. */
const oldDoor = `
#include <stdio.h>
int main(void) {
  int answer;
  __asm__ volatile("int $0x80" : "=a"(answer) : "a"(20) : "memory");
  printf("%d", answer);
}
`

describe.skipIf(!program)('32-bit calls', () => {
  it.each(filters)('are not there with the filter %s', async (filter) => {
    const door = compile('old-door', oldDoor, 'cc', ['-static'])!
    const open = await run(starter!, [...given, '--', door])
    const { stdout } = await run(starter!, [...given, '--filter', filter, '--', door])
    // A kernel without them ends the program.
    expect(Number(open.stdout) > 0 || open.code === 139).toBe(true)
    expect(open.code === 139 ? '-38' : stdout).toBe('-38')
  })
})
