/**
 * The floor of a sandbox: chroot(2) in the same namespaces, and nothing else.
 * @module
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

const spaces = ['--mount', '--pid', '--ipc', '--uts', '--cgroup', '--fork', '--kill-child']

/** The command that runs another one in a root. */
export function chrootCommand(root: string, command: readonly string[]): string[] {
  return ['unshare', ...spaces, `--mount-proc=${root}/proc`, 'chroot', root, ...command]
}

const mountAndEnter = `
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work,volatile" "$2/root"
mount -t proc proc "$2/root/proc"
root="$2/root"
shift 2
exec chroot "$root" "$@"`

/** The same in an overlay over a root, as a job has it: it makes each path lookup slower. */
export async function chrootInOverlay(
  tree: string,
  folder: string,
  command: readonly string[],
): Promise<string[]> {
  for (const name of ['upper', 'work', 'root']) await mkdir(join(folder, name), { recursive: true })
  return ['unshare', ...spaces, 'sh', '-e', '-c', mountAndEnter, 'sh', tree, folder, ...command]
}
