/**
 * Debian packages as a source of files: downloaded and verified by the host's own apt, unpacked
 * without running anything they bring.
 *
 * @module
 */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ImageError, errorText } from '../image-error.ts'
import { describeExit, isBrokenPipe, runTool, startTool } from '../tool.ts'

/** One downloaded package. */
export interface DebianPackage {
  name: string
  version: string
  path: string
}

/** apt needs the host's way out, nothing else of our environment. */
const aptVariables = ['http_proxy', 'https_proxy', 'no_proxy', 'APT_CONFIG']

/**
 * Downloads packages of the host's architecture and release into `folder`, in order of name.
 *
 * @throws ImageError IMAGE_BUILD_FAILED naming the package and the line to type
 */
export async function downloadPackages(
  names: readonly string[],
  folder: string,
  signal: AbortSignal | undefined,
): Promise<DebianPackage[]> {
  await mkdir(folder, { mode: 0o700 })
  // As root, apt would hand the download to a user that cannot write here.
  const args = ['-q', '-o', 'APT::Sandbox::User=root', 'download', ...names]
  try {
    await runTool('apt-get', args, { cwd: folder, env: aptEnvironment(), signal })
  } catch (error) {
    throw explainApt(error)
  }
  const files = (await readdir(folder)).filter((file) => file.endsWith('.deb')).toSorted()
  return files.map((file) => parseFileName(folder, file))
}

/**
 * Unpacks a package into `root`, following symlinked folders there (`bin` to `usr/bin`); only
 * `members` when given.
 *
 * @throws ImageError IMAGE_BUILD_FAILED
 */
export async function unpackPackage(
  { name, path }: DebianPackage,
  root: string,
  members: readonly string[] = [],
): Promise<void> {
  const source = startTool('dpkg-deb', ['--fsys-tarfile', path])
  const options = ['-x', '-p', '--no-same-owner', '--keep-directory-symlink', '-f', '-']
  const tar = startTool('tar', [...options, ...members.map((member) => `./${member}`)], {
    cwd: root,
  })
  source.stdin.end()
  const flow = pipeline(source.stdout, tar.stdin)
  const [broken] = await Promise.allSettled([flow])
  for (const exit of [await source.exit, await tar.exit]) {
    if (exit.code !== 0) throw failed(`package ${name} cannot be unpacked: ${describeExit(exit)}`)
  }
  if (broken.status === 'rejected' && !isBrokenPipe(broken.reason))
    throw failed(errorText(broken.reason), broken.reason)
}

function aptEnvironment(): Record<string, string> {
  const pairs = aptVariables.map((name) => [name, process.env[name]])
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}

/** `name_version_arch.deb`, where apt writes the colon of an epoch as %3a. */
function parseFileName(folder: string, file: string): DebianPackage {
  const [name = file, version = ''] = file.split('_')
  return { name, version: decodeURIComponent(version), path: join(folder, file) }
}

function explainApt(error: unknown): unknown {
  const text = errorText(error)
  if (!(error instanceof ImageError) || text.includes('is not installed')) return error
  const unknown = /(?:locate package |from package |version .*of ')([^\s':]+)/.exec(text)?.[1]
  const what = unknown === undefined ? text : `apt knows no package ${unknown}`
  return failed(`${what}; type: apt-get update (the recipes are for Debian 12)`, error)
}

function failed(message: string, cause?: unknown): ImageError {
  return new ImageError('IMAGE_BUILD_FAILED', message, { cause })
}
