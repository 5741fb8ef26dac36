/** What an operator can do where a layer or a limit of the sandbox is missing. @module */
import { readOrEmpty } from '@causeway/service/failure'
import type { Cgroups } from '../cgroup/cgroup.ts'

/** Reads a file of /proc; empty where there is none. */
type Read = (path: string) => string

/** Settings that close user namespaces to ordinary users, each with its closing value. */
const closing = [
  { setting: 'user.max_user_namespaces', value: '0', open: '15000' },
  { setting: 'kernel.unprivileged_userns_clone', value: '0', open: '1' },
  { setting: 'kernel.apparmor_restrict_unprivileged_userns', value: '1', open: '0' },
] as const

export function namespacesRemedy(isRoot: boolean, read: Read = readOrEmpty): string {
  if (isRoot) {
    return 'give the daemon CAP_SYS_ADMIN; in a container, also a seccomp profile that allows unshare and mount'
  }
  const closed = closing.filter(({ setting, value }) => {
    return read(`/proc/sys/${setting.replaceAll('.', '/')}`).trim() === value
  })
  if (closed.length === 0) return 'run the daemon as root, or outside of what forbids namespaces'
  const words = closed.map(({ setting, open }) => `${setting}=${open}`)
  return `run the daemon as root, or allow user namespaces: sysctl ${words.join(' ')}`
}

export const landlockRemedy =
  'take a kernel with Landlock (5.19 or later), and name landlock in its parameter lsm='

export const overlaysRemedy =
  'choose a state folder (--state) on a file system that overlays can use, such as ext4 or xfs'

/** For a host whose jobs have no memory control group. */
export function memoryRemedy({ offered }: Pick<Cgroups, 'offered'>, isRoot: boolean): string {
  if (!offered.has('memory')) {
    return 'turn the memory controller on: mount control groups, and start the kernel with cgroup_enable=memory'
  }
  return isRoot
    ? 'give the daemon a /sys/fs/cgroup that it may write to'
    : 'run the daemon as root, or in a unit with Delegate=yes (runtime/docs/sandbox.md)'
}
