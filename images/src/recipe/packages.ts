/**
 * Debian packages: the host's own apt chooses, downloads and verifies them. They are unpacked
 * without running any of their code.
 *
 * @module
 */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ImageError, errorText } from '../image-error.ts'
import type { Owner } from '../root/write-in-root.ts'
import { describeExit, isBrokenPipe, runTool, startReader, startTool } from '../tool.ts'

/** One downloaded package. */
export interface DebianPackage {
  name: string
  version: string
  path: string
}

/** apt gets the host's proxy and no other variable of our environment. */
const aptVariables = ['http_proxy', 'https_proxy', 'no_proxy', 'APT_CONFIG']

/**
 * Names all packages that an empty system needs to install the wanted ones.
 *
 * @param wanted names, or patterns of apt-patterns(7)
 * @returns `name=version` of each, in a possible installation order
 * @throws ImageError IMAGE_BUILD_FAILED
 */
export async function resolvePackages(
  wanted: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const options = ['-o', 'Dir::State::status=/dev/null', '--no-install-recommends', '--simulate']
  const plan = await runApt(['-q', ...options, 'install', ...wanted], { signal })
  const lines = plan.split('\n').map((line) => /^Inst (\S+) \((\S+)/.exec(line))
  return lines.filter((match) => match !== null).map(([, name, version]) => `${name}=${version}`)
}

/**
 * Downloads packages of the host's architecture and release into `folder`, in order of name.
 *
 * @throws ImageError IMAGE_BUILD_FAILED naming the package and the command to type
 */
export async function downloadPackages(
  names: readonly string[],
  folder: string,
  signal: AbortSignal | undefined,
): Promise<DebianPackage[]> {
  await mkdir(folder, { mode: 0o700 })
  // As root, apt would download as another user, who cannot write here.
  const args = ['-q', '-o', 'APT::Sandbox::User=root', 'download', ...names]
  await runApt(args, { cwd: folder, signal })
  const files = (await readdir(folder)).filter((file) => file.endsWith('.deb')).toSorted()
  return files.map((file) => parseFileName(folder, file))
}

/**
 * The host's sources of Debian's own packages, for an image that uses the same sources.
 *
 * @returns lines of a deb822 file (sources.list(5)), without user names and passwords
 */
export async function debianSources(signal: AbortSignal | undefined): Promise<string[]> {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)'
  const filters = ['Created-By: Packages', 'Origin: Debian']
  const list = await runApt(['indextargets', '--format', format, ...filters], { signal })
  const sources = new Map<string, string[]>()
  for (const line of list
    .split('\n')
    .filter((text) => text !== '')
    .toSorted()) {
    const [uri = '', suite = '', component = ''] = line.split(' ')
    const key = `URIs: ${withoutSecrets(uri)}\nSuites: ${suite}`
    sources.set(key, [...(sources.get(key) ?? []), component])
  }
  const keyring = 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg'
  return [...sources].flatMap(([key, components]) => [
    'Types: deb',
    key,
    `Components: ${components.join(' ')}`,
    keyring,
    '',
  ])
}

/**
 * Unpacks a package into `root`, following symlinked folders there (`bin` to `usr/bin`); if
 * `members` is given, it unpacks only these.
 *
 * @param owner the user that parses and writes, default ourselves; it must be able to read the
 *   package from `root`, and the package's path may be relative to `root`
 * @throws ImageError IMAGE_BUILD_FAILED
 */
export async function unpackPackage(
  { name, path }: Pick<DebianPackage, 'name' | 'path'>,
  root: string,
  { members = [], owner }: { members?: readonly string[] | undefined; owner?: Owner } = {},
): Promise<void> {
  const source = await startTool('dpkg-deb', ['--fsys-tarfile', path], { cwd: root, ...owner })
  const options = ['-x', '-p', '--no-same-owner', '--keep-directory-symlink', '-f', '-']
  const tar = await startReader(
    source,
    'tar',
    [...options, ...members.map((member) => `./${member}`)],
    {
      cwd: root,
      ...owner,
    },
  )
  source.stdin.end()
  const flow = pipeline(source.stdout, tar.stdin)
  const [broken] = await Promise.allSettled([flow])
  for (const exit of [await source.exit, await tar.exit]) {
    if (exit.code !== 0) throw failed(`package ${name} cannot be unpacked: ${describeExit(exit)}`)
  }
  if (broken.status === 'rejected' && !isBrokenPipe(broken.reason))
    throw failed(errorText(broken.reason), broken.reason)
}

async function runApt(
  args: readonly string[],
  options: { cwd?: string; signal: AbortSignal | undefined },
): Promise<string> {
  try {
    return await runTool('apt-get', args, { ...options, env: aptEnvironment() })
  } catch (error) {
    throw explainApt(error)
  }
}

function aptEnvironment(): Record<string, string> {
  const pairs = aptVariables.map((name) => [name, process.env[name]])
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
}

/** Removes a mirror's password: the image must not contain it. */
function withoutSecrets(uri: string): string {
  if (!URL.canParse(uri)) return uri
  const url = new URL(uri)
  url.username = ''
  url.password = ''
  return url.href
}

/** Parses `name_version_arch.deb`, in which apt writes the colon of an epoch as %3a. */
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
