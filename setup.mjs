#!/usr/bin/env node
// Sets up what a fresh Debian 12 machine with Node and npm misses: Debian packages, npm packages,
// the native build, the TypeScript build. No dependencies, safe to repeat, quiet when there is
// nothing to do. `--test` adds what only the tests need.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const forTests = process.argv.includes('--test')

// Debian package → a command it brings, or a file. What is there already needs no package.
const packages = {
  proot: 'proot',
  'xz-utils': 'xz',
  zstd: 'zstd',
  tar: 'tar',
  python3: 'python3',
  make: 'make',
  'g++': 'g++',
  nftables: '/usr/sbin/nft',
  iproute2: '/bin/ip',
  'libsecp256k1-dev': '/usr/include/secp256k1.h',
  openssl: 'openssl',
}
const testPackages = {
  git: 'git',
  debootstrap: '/usr/sbin/debootstrap',
  socat: 'socat',
  nsd: '/usr/sbin/nsd',
  'musl-tools': 'musl-gcc',
  'busybox-static': 'busybox',
  procps: 'ps',
  binutils: 'readelf',
  'gcc-aarch64-linux-gnu': 'aarch64-linux-gnu-gcc',
  'libc6-dev-arm64-cross': '/usr/aarch64-linux-gnu/lib/libc.a',
  'qemu-user-static': 'qemu-aarch64-static',
  'python3-cryptography': '/usr/lib/python3/dist-packages/cryptography/__init__.py',
  'python3-cryptography-vectors': '/usr/lib/python3/dist-packages/cryptography_vectors/__init__.py',
}

class SetupError extends Error {}

function checkHost() {
  if (process.platform !== 'linux') {
    throw new SetupError(
      `expected Linux, found ${process.platform}; Causeway's host side runs on Debian 12`,
    )
  }
  const system = osName()
  if (system !== 'debian 12' && !process.env.CAUSEWAY_ANY_OS) {
    throw new SetupError(
      `expected Debian 12, found ${system}; Causeway is built and tested there. To try all the same: CAUSEWAY_ANY_OS=1 npm start`,
    )
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new SetupError(
      `expected Node 20.19 or later (20, 22, 24), found ${process.versions.node}`,
    )
  }
}

/** `ID VERSION_ID` of os-release(5). */
function osName() {
  const file = '/etc/os-release'
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const value = (name) => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? 'unknown'
  return `${value('ID')} ${value('VERSION_ID')}`
}

function has(wanted) {
  return wanted.startsWith('/') ? existsSync(wanted) : hasCommand(wanted)
}

function hasCommand(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

async function installDebianPackages() {
  const wanted = { ...packages, ...(forTests && testPackages) }
  const missing = Object.keys(wanted).filter((name) => !has(wanted[name]))
  if (missing.length === 0) return
  const line = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`
  if (!has('apt-get')) {
    throw new SetupError(
      `this system has no apt-get; install by its own means: ${missing.join(' ')}`,
    )
  }
  const sudo = rootPrefix(line)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await step(`Debian packages: ${missing.join(' ')}`, [...sudo, 'sh', '-c', line], {
    env,
    hint: line,
  })
}

/** Empty as root, `sudo -n` when that works without a question; else nothing can be installed. */
function rootPrefix(line) {
  if (process.getuid() === 0) return []
  if (has('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0)
    return ['sudo', '-n']
  throw new SetupError(
    `Debian packages are missing and this user may not install them; type:\n  sudo sh -c '${line}'`,
  )
}

async function installNpmPackages(folder, what) {
  const lock = join(root, folder, 'package-lock.json')
  if (!existsSync(lock)) {
    throw new SetupError(`${lock} is missing; type:\n  git checkout -- ${lock}`)
  }
  const stamp = join(root, folder, 'node_modules', '.causeway-stamp')
  await whenChanged(stamp, digestOf([lock]), () =>
    step(what, [process.execPath, npmScript(), 'ci', '--no-audit', '--no-fund'], {
      cwd: join(root, folder),
      hint: `cd ${join(root, folder)} && npm ci`,
    }),
  )
}

/** npm's own script, run by this Node: a PATH may find another Node's npm. */
function npmScript() {
  const beside = join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js')
  const script = [process.env.npm_execpath, beside].find(
    (path) => path?.endsWith('.js') && existsSync(path),
  )
  if (script) return script
  throw new SetupError('npm is not installed beside this Node; start with: npm start')
}

async function buildNative() {
  const sources = filesBelow('native', /\.(gyp|mjs|c|cc|h|S|json)$/)
  await whenChanged(join(root, 'native/build/.causeway-stamp'), digestOf(sources), () =>
    step('native build', [process.execPath, 'build.mjs'], {
      cwd: join(root, 'native'),
      hint: 'npm run build:native',
    }),
  )
}

async function buildTypeScript() {
  const folders = [
    'native',
    'guest-sdk',
    'manifest',
    'service',
    'images',
    'runtime',
    'test/conformance/kit',
  ]
  const sources = folders.flatMap((folder) => filesBelow(folder, /\.(ts|json)$/))
  const stamp = join(root, 'runtime/dist/.causeway-stamp')
  // The stamp vouches for its own folder only.
  if (folders.some((folder) => !existsSync(join(root, folder, 'dist'))))
    rmSync(stamp, { force: true })
  await whenChanged(
    stamp,
    digestOf([...sources, join(root, 'tsconfig.base.json'), join(root, 'runtime/bundle.mjs')]),
    () =>
      step(
        'TypeScript build',
        [process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-b', '--force'],
        { hint: 'npx tsc -b' },
      ).then(() =>
        step('bundle of the command', [process.execPath, join(root, 'runtime/bundle.mjs')], {
          hint: 'npm run bundle',
        }),
      ),
  )
}

async function whenChanged(stampFile, digest, make) {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digest) return
  await make()
  writeFileSync(stampFile, digest)
}

function filesBelow(folder, pattern) {
  const skipped = /(^|\/)(node_modules|dist|build)(\/|$)/
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => pattern.test(name) && !skipped.test(name))
    .map((name) => join(root, folder, name))
    .filter((path) => statSync(path).isFile())
}

/** Without the folder of the clone: one that was moved or copied is not built again. */
function digestOf(files) {
  const hash = createHash('sha256')
  for (const file of files.sort())
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** Runs one step; its output is shown only when it fails. */
async function step(what, [command, ...args], { hint, ...options }) {
  const started = performance.now()
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`
  process.stdout.write(`… ${what}\n`)
  const alive = setInterval(() => process.stdout.write(`  … ${what}: ${seconds()}\n`), 5000)
  try {
    await run(command, args, { cwd: root, ...options })
  } catch (error) {
    throw new SetupError(
      `${what} failed (${error.message})\n${error.output ?? ''}\nTo see it by itself, type:\n  ${hint}`,
    )
  } finally {
    clearInterval(alive)
  }
  process.stdout.write(`✓ ${what}, ${seconds()}\n`)
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (output = (output + chunk).slice(-4000)))
    }
    // An npm that goes on by itself would be in the way of the next set-up.
    const forward = (signal) => child.kill(signal)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, forward)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, forward)
      if (code === 0) return resolve()
      const how = signal ? `stopped by ${signal}` : `exit code ${code}`
      reject(Object.assign(new Error(how), { output }))
    })
  })
}

try {
  checkHost()
  await installDebianPackages()
  await installNpmPackages('.', 'npm packages')
  await buildNative()
  await buildTypeScript()
  if (forTests && process.arch === 'x64') {
    await installNpmPackages('test/node-versions', 'other Node versions for the tests')
  }
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`setup: ${error.message}\n`)
  process.exitCode = 1
}
