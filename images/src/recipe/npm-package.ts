/**
 * Programs from npm packages: the host's own npm fetches them from its configured registry, and
 * they are checked against the digest in the recipe.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ImageError } from '../image-error.ts'
import { runTool } from '../tool.ts'
import type { NpmSource } from './recipe.ts'

/** Environment variables npm gets: its settings and the host's proxy. */
const variables = /^(HOME|(npm_config_\w+)|(https?_proxy|no_proxy))$/i

/**
 * Puts the files of the package for `architecture` into `root`, mode 0755.
 *
 * @param folder where the package is unpacked; created here
 * @returns its name and version
 * @throws ImageError IMAGE_BUILD_FAILED
 */
export async function takeFromNpm(
  { packages, version, take }: NpmSource,
  architecture: string,
  folder: string,
  root: string,
  signal: AbortSignal | undefined,
): Promise<{ name: string; version: string }> {
  const source = packages[architecture]
  if (source === undefined) {
    const known = Object.keys(packages).join(', ')
    throw failed(`the recipe has no npm package for ${architecture}, only for ${known}`)
  }
  const { name, integrity } = source
  await mkdir(folder, { mode: 0o700 })
  const archive = await fetchPackage(`${name}@${version}`, folder, signal)
  await checkIntegrity(archive, `${name}@${version}`, integrity)
  await runTool('tar', ['-xzf', archive, '-C', folder, '--no-same-owner', ...Object.keys(take)])
  for (const [from, to] of Object.entries(take)) {
    await mkdir(dirname(join(root, to)), { recursive: true })
    await rename(join(folder, from), join(root, to))
    await chmod(join(root, to), 0o755)
  }
  return { name, version }
}

async function fetchPackage(
  spec: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const options = ['--pack-destination', folder, '--prefer-offline', '--silent', '--ignore-scripts']
  const [program, args] = npmCommand(['pack', spec, ...options])
  await runTool(program, args, { cwd: folder, env: npmEnvironment(), signal })
  const [file] = (await readdir(folder)).filter((entry) => entry.endsWith('.tgz'))
  if (file === undefined) throw failed(`npm pack ${spec} made no file`)
  return join(folder, file)
}

async function checkIntegrity(path: string, spec: string, expected: string): Promise<void> {
  const found = `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`
  if (found !== expected) throw failed(`npm package ${spec} has ${found}, expected ${expected}`)
}

/** Uses the npm of this Node: PATH may have none, or one of another Node. */
function npmCommand(args: string[]): [string, string[]] {
  const script = join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js')
  return existsSync(script) ? [process.execPath, [script, ...args]] : ['npm', args]
}

function npmEnvironment(): Record<string, string> {
  const pairs = Object.entries(process.env).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && variables.test(pair[0]),
  )
  return Object.fromEntries(pairs)
}

function failed(message: string): ImageError {
  return new ImageError('IMAGE_BUILD_FAILED', message)
}
