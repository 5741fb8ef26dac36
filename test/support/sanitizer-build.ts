/**
 * The native addon with the address and undefined-behaviour sanitizers, built by the package's own
 * build script in a copy, and a way to run our programs with it.
 * @module
 */
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, type Finished } from './causeway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tsx = fileURLToPath(import.meta.resolve('tsx'))

// C++ only, that is, the addon: the static programs beside it cannot have a sanitizer's runtime.
const compilerFlags = [
  '-fsanitize=address,undefined,float-cast-overflow',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
  // Also checks bounds of vectors and strings.
  '-D_GLIBCXX_ASSERTIONS',
  // Twice as fast to compile as what Release asks for, and with whole stack traces.
  '-O1',
  '-g',
]

/** Copies the package into the folder and builds it there. */
export async function buildSanitized(folder: string): Promise<void> {
  const source = join(root, 'native')
  for (const name of ['build.mjs', 'binding.gyp', 'package.json', 'src']) {
    await cp(join(source, name), join(folder, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const env = { ...process.env, CXXFLAGS: compilerFlags.join(' ') }
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['build.mjs', 'bridge_native', 'bridge_signer'],
    { cwd: folder, env },
  )
  if (code !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`)
}

/** Runs a TypeScript program in a Node that loads the sanitizers' runtime first. */
export async function runSanitized(script: string, args: readonly string[]): Promise<Finished> {
  const runtimes = await Promise.all(['libasan.so', 'libubsan.so'].map(libraryPath))
  const env = {
    ...process.env,
    LD_PRELOAD: runtimes.join(' '),
    // V8's heap has pointers that the leak check cannot follow. Node's handler would replace the
    // one that reports a segmentation fault.
    ASAN_OPTIONS: 'detect_leaks=0:handle_segv=2',
    UBSAN_OPTIONS: 'print_stacktrace=1',
  }
  return run(process.execPath, ['--expose-gc', '--import', tsx, script, ...args], { env })
}

async function libraryPath(name: string): Promise<string> {
  const { stdout } = await run('g++', [`-print-file-name=${name}`])
  return stdout.trim()
}
