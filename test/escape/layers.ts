/**
 * A checkout whose jobs lack a layer of confinement: the launcher does not get the layer's option,
 * or a program is compiled without it.
 * @module
 */
import { existsSync } from 'node:fs'
import { chmod, copyFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compileTarget, sourceOf } from '../support/native-target.ts'

/** The layers that are missing; none by default. */
export interface Weakness {
  /** Options that the launcher does not get → how many values each has. */
  options?: Readonly<Record<string, number>>
  /** What the launcher's `--probe` answers instead. */
  probe?: Readonly<Record<string, unknown>>
  /** The job's root is the image's tree itself. */
  onTree?: boolean
  /** Programs that replace the built ones. */
  launcher?: string
  guestInit?: string
}

/** A script that replaces the launcher, and runs it with the same pid and descriptors. */
const stand = (settings: string) => `#!/usr/bin/python3 -I
import json, os, subprocess, sys
real, options, probe, on_tree = json.loads(${JSON.stringify(settings)})
args, kept = sys.argv[1:], []
if args == ["--probe"]:
    print(json.dumps(json.loads(subprocess.check_output([real] + args)) | probe))
    sys.exit()
end = args.index("--")
if on_tree and "--lower" in args:
    root, tree = (args[args.index(name) + 1] for name in ("--root", "--lower"))
    args[args.index("--root") + 1] = tree
    # What is put into the root goes into the tree, then.
    os.rmdir(root)
    os.symlink(tree, root)
    options |= {"--lower": 1, "--upper": 1, "--work": 1, "--lower-owner": 1}
while args[0] != "--":
    count = options.get(args[0])
    if count is None:
        kept.append(args.pop(0))
    else:
        del args[: 1 + count]
os.execv(real, [real] + kept + args)
`

const built = (checkout: string, name: string) => join(checkout, 'native/build/Release', name)

/** Makes every later job of the checkout lack these layers and nothing else. */
export async function weaken(checkout: string, weakness: Weakness): Promise<void> {
  const { options = {}, probe = {}, onTree = false } = weakness
  const real = weakness.launcher ?? (await kept(checkout, 'bridge-launch'))
  const script = stand(JSON.stringify([real, options, probe, onTree]))
  await writeProgram(built(checkout, 'bridge-launch'), script)
  const guestInit = weakness.guestInit ?? (await kept(checkout, 'bridge-guest-init'))
  await copyFile(guestInit, built(checkout, 'bridge-guest-init'))
}

/** Path of the built program, which the first call moves out of the way. */
async function kept(checkout: string, name: string): Promise<string> {
  const path = `${built(checkout, name)}.real`
  if (!existsSync(path)) await rename(built(checkout, name), path)
  return path
}

async function writeProgram(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content)
  await chmod(`${path}.new`, 0o755)
  await rename(`${path}.new`, path)
}

async function compiledWith(
  folder: string,
  target: string,
  source: string,
  content: string,
): Promise<string> {
  const file = join(folder, `without-${source}`)
  await writeFile(file, content)
  const program = await compileTarget(folder, target, { instead: { [source]: file } })
  await chmod(program, 0o755)
  return program
}

/** A launcher that keeps the daemon's identity, also root's, when it gets no other. */
export function launcherOfAnyUser(folder: string): Promise<string> {
  const options = sourceOf('bridge-launch', 'options.c')
  return compiledWith(
    folder,
    'bridge-launch',
    'options.c',
    `#define _GNU_SOURCE\n#include <unistd.h>\n#define geteuid() 1u\n#include "${options}"\n`,
  )
}

/** A launcher that leaves the capability bounding set alone. */
export function launcherWithoutBounding(folder: string): Promise<string> {
  const identity = sourceOf('bridge-launch', 'identity.c')
  return compiledWith(
    folder,
    'bridge-launch',
    'identity.c',
    `#define _GNU_SOURCE\n#include <sys/prctl.h>\n#undef PR_CAPBSET_DROP\n#define PR_CAPBSET_DROP PR_CAPBSET_READ\n#define prctl(option, ...) (prctl(option, __VA_ARGS__) < 0 ? -1 : 0)\n#include "${identity}"\n`,
  )
}

/** A guest's init that enters no Landlock domain: its kernel has none. */
export function initWithoutShield(folder: string): Promise<string> {
  const shield = sourceOf('bridge-guest-init', 'shield.c')
  const name = '__NR_landlock_create_ruleset'
  return compiledWith(
    folder,
    'bridge-guest-init',
    'shield.c',
    `#include <asm/unistd.h>\n#undef ${name}\n#define ${name} 0x7fff\n#include "${shield}"\n`,
  )
}
