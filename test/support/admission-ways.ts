/**
 * Which user runs a daemon, and how the daemon recognises the processes of its job.
 * @module
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nativePaths, type Membership } from '@causeway/native'
import { causewayBin } from './causeway.ts'

type Command = [string, ...string[]]

/** Empty folders over which the command mounts the checkout and the host's root. */
export interface Stage {
  checkout: string
  host: string
}

export interface Way {
  name: string
  by: Exclude<Membership['by'], 'uid'>
  /** Uid of the daemon. */
  uid: number
  /** Lines of the operator's configuration. */
  config?: string
  /** `causeway` with these arguments; it becomes the daemon without a process in between. */
  command(stage: Stage, args: readonly string[]): Command
}

export const isRoot = process.getuid?.() === 0

/** Debian's `nobody`, or the user who runs the tests. */
export const ordinaryUid = isRoot ? 65534 : (process.getuid?.() ?? 0)

const repository = fileURLToPath(new URL('../..', import.meta.url))
const causeway = (bin: string, args: readonly string[]): Command => [process.execPath, bin, ...args]

// The same view of the file system, without a tracer.
const ownRootConfig = '[sandbox]\nbackend = "namespaces"\n'

/** The ways that this machine and the tests' user allow. */
export const ways: readonly Way[] = findWays()

function findWays(): Way[] {
  const probe = execFileSync(nativePaths.launcher, ['--probe'], { encoding: 'utf8' })
  const { namespaces } = JSON.parse(probe) as { namespaces: boolean }
  const by = namespaces ? 'pid-namespace' : 'tracer'
  const own: Way = { name: way('our own', by), by, uid: process.getuid?.() ?? 0, command: plain }
  if (!namespaces) return [own]
  const ownRoot = { ...own, name: `${own.name}, in a root of its own`, config: ownRootConfig }
  if (!isRoot) return [own, ownRoot]
  return [
    own,
    ownRoot,
    { name: way("root's", 'tracer'), by: 'tracer', uid: 0, command: withoutAdmin },
    ...userWays(),
  ]
}

function userWays(): Way[] {
  const traced: Way = {
    name: way("a user's", 'tracer'),
    by: 'tracer',
    uid: ordinaryUid,
    command: userHasNamespaces() ? asUserInChroot : asUser,
  }
  if (!userHasNamespaces()) return [traced]
  const by = 'pid-namespace'
  const spaced: Way = { name: way("a user's", by), by, uid: ordinaryUid, command: asUser }
  const ownRoot = { ...spaced, name: `${spaced.name}, in a root of its own`, config: ownRootConfig }
  return [spaced, ownRoot, traced]
}

/** Some hosts allow user namespaces to root only, or not in a chroot like the tests'. */
function userHasNamespaces(): boolean {
  const user = [`--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups', '--']
  return spawnSync('setpriv', [...user, 'unshare', '--user', 'true'], { cwd: '/' }).status === 0
}

function way(whose: string, by: Way['by']): string {
  return `${whose} job, known by its ${by}`
}

function plain(_stage: Stage, args: readonly string[]): Command {
  return causeway(causewayBin, args)
}

/** Root without the right to make namespaces. */
function withoutAdmin(_stage: Stage, args: readonly string[]): Command {
  const drop = ['--bounding-set=-sys_admin', '--inh-caps=-sys_admin', '--']
  return ['setpriv', ...drop, ...causeway(causewayBin, args)]
}

// The checkout may be closed to other users, or be in root's home: its folders are mounted, one by
// one, where every user can reach them.
const folders = 'node_modules native guest-sdk manifest service images runtime'
const showCheckout = `for name in ${folders}; do mkdir -p "$2/$name" && mount --bind "$1/$name" "$2/$name" || exit 1; done`

function asUser({ checkout }: Stage, args: readonly string[]): Command {
  const script = `${showCheckout}; shift 2; exec setpriv "$@"`
  const user = [`--reuid=${ordinaryUid}`, `--regid=${ordinaryUid}`, '--clear-groups', '--']
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', repository, checkout, ...user].concat(
    causeway(`${checkout}/runtime/bin/causeway.js`, args),
  ) as Command
}

/** A user in a chroot cannot make a user namespace (unshare(2)), and without one no other. */
function asUserInChroot({ checkout, host }: Stage, args: readonly string[]): Command {
  const script = `${showCheckout}; mount --rbind / "$3" || exit 1; shift 3; exec chroot "$@"`
  const user = [`--userspec=${ordinaryUid}:${ordinaryUid}`, '--groups=', host]
  return [
    'unshare',
    '--mount',
    'sh',
    '-c',
    script,
    'sh',
    repository,
    checkout,
    host,
    ...user,
  ].concat(causeway(`${checkout}/runtime/bin/causeway.js`, args)) as Command
}
