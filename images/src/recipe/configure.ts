/**
 * Installs unpacked packages with dpkg and the packages' own scripts. The scripts never run as root
 * of the host, see none of its files, processes or networks, and cannot outlive the build.
 *
 * @module
 */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageError, errorText } from '../image-error.ts'
import type { Owner } from '../root/write-in-root.ts'
import { runTool } from '../tool.ts'
import { readRecipeFile } from './recipe.ts'

const scripts = ['debian/enter.pl', 'debian/configure.sh'] as const

/** The text of the scripts that install packages; it is part of cache keys. */
export async function configureText(): Promise<string> {
  return (await Promise.all(scripts.map(readRecipeFile))).join('\0')
}

const namespaces = [
  '--user',
  '--map-root-user',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  '--ipc',
  '--uts',
  '--net',
  '--cgroup',
]

/**
 * Installs the packages in `.packages` of `root`; all their files are already unpacked.
 *
 * @param epoch Unix seconds that scripts use as the current time
 * @param owner an ordinary user that owns everything in `root`; default ourselves
 * @throws ImageError IMAGE_BUILD_FAILED with the last line of dpkg
 */
export async function configurePackages(
  root: string,
  epoch: number,
  owner: Owner | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [enter, configure] = await Promise.all(scripts.map(readRecipeFile))
  const shell = ['/bin/sh', '-c', configure ?? '']
  const args = [...namespaces, 'perl', '-e', enter ?? '', ...shell]
  try {
    await runTool('unshare', args, { cwd: root, ...owner, env: environment(epoch), signal })
  } catch (error) {
    throw explain(error)
  }
}

/** The time of the newest file from a package, Unix seconds: equal for equal versions. */
export async function newestFile(root: string): Promise<number> {
  let newest = 0
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    // Skip the package files themselves: their time is that of their download.
    if (!entry.isFile() || entry.parentPath === join(root, '.packages')) continue
    const { mtimeMs } = await lstat(join(entry.parentPath, entry.name))
    newest = Math.max(newest, Math.floor(mtimeMs / 1000))
  }
  return newest
}

function environment(epoch: number): Record<string, string> {
  return {
    DEBIAN_FRONTEND: 'noninteractive',
    DEBCONF_NONINTERACTIVE_SEEN: 'true',
    HOME: '/root',
    // Compiled files and dates depend on nothing but the packages.
    SOURCE_DATE_EPOCH: String(epoch),
    PYTHONHASHSEED: '0',
    TZ: 'UTC',
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof ImageError) || !errorText(error).includes('unshare')) return error
  const message = `${errorText(error)}; building this recipe takes user namespaces for ordinary users (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone)`
  return new ImageError('IMAGE_BUILD_FAILED', message, { cause: error })
}
