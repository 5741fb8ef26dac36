/**
 * The `debian` image with programs in it that ask much of a sandbox: a compiler, git, programs in Go
 * and Rust, and the Node that runs the tests. Made once on this machine.
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, rename, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { downloadPackages, unpackPackage } from '../../images/src/recipe/packages.ts'
import { run } from './causeway.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { builtRecipe } from './recipe-image.ts'

const machine = process.arch === 'arm64' ? 'aarch64' : 'x86-64'
// With what each of them needs and the image lacks.
const packages =
  `fzf ripgrep git libstdc++6 libgcc-s1 libpcre2-8-0 zlib1g gcc-12 cpp-12 libgcc-12-dev
libc6-dev linux-libc-dev libcrypt-dev binutils binutils-${machine}-linux-gnu libbinutils libctf-nobfd0
libctf0 libjansson4 libisl23 libmpc3 libmpfr6 libgmp10 libzstd1`.split(/\s/)

/** As a manifest refers to it. */
export async function toolsImage(): Promise<{ url: string; sha256: string }> {
  const base = await builtRecipe('debian')
  const key = createHash('sha256').update([base.sha256, process.version, ...packages].join('\0'))
  const path = join(dirname(base.path), `tools-${key.digest('hex').slice(0, 16)}.tar.zst`)
  await oneAtATime(`${path}.lock`, async () => {
    if (!existsSync(path)) await build(base.path, path)
  })
  const sha256 = createHash('sha256').update(await readFile(path))
  return { url: pathToFileURL(path).href, sha256: sha256.digest('hex') }
}

async function build(base: string, path: string): Promise<void> {
  const work = `${path}.${randomBytes(8).toString('hex')}`
  const root = join(work, 'root')
  await mkdir(root, { recursive: true })
  try {
    await must('tar', ['-C', root, '-xpJf', base])
    for (const item of await downloadPackages(packages, join(work, 'packages'), undefined)) {
      await unpackPackage(item, root)
    }
    await copyFile(process.execPath, join(root, 'usr/bin/node'))
    await chmod(join(root, 'usr/bin/node'), 0o755)
    await symlink('gcc-12', join(root, 'usr/bin/gcc'))
    await must('tar', ['-C', root, '--owner=0', '--group=0', '--zstd', '-cf', `${work}.tar`, '.'])
    await rename(`${work}.tar`, path)
  } finally {
    await run('rm', ['-rf', work])
  }
}

async function must(program: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(program, args)
  if (code !== 0) throw new Error(`${program} failed:\n${stderr}`)
}

/** Debian packages to install in a job: with a link of alternatives(7), a library, and alone. */
export async function smallPackages(folder: string): Promise<Record<string, Buffer>> {
  const names = ['hello', 'netcat-openbsd', 'libbsd0', 'libmd0']
  const files = await downloadPackages(names, folder, undefined)
  const contents = await Promise.all(files.map(({ path }) => readFile(path)))
  return Object.fromEntries(files.map(({ name }, index) => [`${name}.deb`, contents[index]!]))
}
