/**
 * A root with the programs to measure: Node, a C compiler, and our own small ones.
 * @module
 */
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadPackages, unpackPackage } from '../../../images/src/recipe/packages.ts'
import { compile } from '../machine/programs.ts'
import type { Processes } from '../machine/processes.ts'

// The compiler and Node, with everything they need.
const packages = [
  'dash',
  'coreutils',
  'libacl1',
  'libattr1',
  'libselinux1',
  'libpcre2-8-0',
  'libc6',
  'libc6-dev',
  'linux-libc-dev',
  'libcrypt1',
  'gcc-12',
  'gcc-12-base',
  'cpp-12',
  'libgcc-12-dev',
  'libgcc-s1',
  'libstdc++6',
  'binutils',
  process.arch === 'arm64' ? 'binutils-aarch64-linux-gnu' : 'binutils-x86-64-linux-gnu',
  'libbinutils',
  'libctf-nobfd0',
  'libctf0',
  'libjansson4',
  'libisl23',
  'libmpc3',
  'libmpfr6',
  'libgmp10',
  'zlib1g',
  'libzstd1',
]

const merged = ['bin', 'sbin', 'lib', 'lib64']
const own = ['time-runs', 'stat-many', 'say'] as const

const hello = `#include <stdio.h>
int main(void) { puts("hello"); return 0; }
`

/** Makes the root in `folder`. */
export async function makeToolsTree(
  root: string,
  { folder, processes }: { folder: string; processes: Processes },
): Promise<void> {
  const downloads = join(folder, 'packages')
  await mkdir(root)
  for (const name of merged) {
    await mkdir(join(root, 'usr', name), { recursive: true })
    await symlink(`usr/${name}`, join(root, name))
  }
  for (const item of await downloadPackages(packages, downloads, undefined)) {
    await unpackPackage(item, root)
  }
  await copyFile(process.execPath, join(root, 'usr/bin/node'))
  for (const name of own) {
    const program = await compile(name, { folder, processes, isStatic: true })
    await copyFile(program, join(root, 'usr/bin', name))
  }
  await symlink('gcc-12', join(root, 'usr/bin/gcc'))
  for (const name of ['proc', 'dev', 'dev/shm', 'sys', 'tmp', 'etc', 'root', '.causeway']) {
    await mkdir(join(root, name), { recursive: true })
  }
  await writeFile(join(root, 'hello.c'), hello)
  await chmod(join(root, 'tmp'), 0o1777)
  await chmod(root, 0o755)
}
