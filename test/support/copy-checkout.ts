/**
 * The command for other users.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const bin = 'runtime/bin/causeway.js'

/** Variable with the path of the checkout that `shared-checkout.ts` made for all tests of a run. */
export const checkoutVariable = 'CAUSEWAY_TEST_CHECKOUT'

/**
 * The built command where any user can reach it: a checkout may be in root's closed home. All tests
 * of a run share it, and none changes it.
 */
export function sharedBin(): string {
  const checkout = process.env[checkoutVariable]
  if (checkout === undefined) throw new Error(`${checkoutVariable} is not set: run it by vitest`)
  return join(checkout, bin)
}

/** Further files that `npm start` needs in a checkout that is set up. */
export const setupParts = [
  'node_modules/.bin',
  'node_modules/.causeway-stamp',
  'package-lock.json',
  'setup.mjs',
  'test/conformance/kit',
  'tsconfig.base.json',
]

/**
 * A separate checkout with everything that the command needs, without what only builds and tests do.
 * @param more further files and folders
 */
export function copyCheckout(target: string, more: readonly string[] = []): string {
  const { workspaces } = packageAt('.') as { workspaces: string[] }
  const parts = ['package.json', ...workspaces, ...linksOf(workspaces), ...modulesOf(workspaces)]
  execFileSync('cp', ['-a', '--parents', ...parts, ...more, target], { cwd: repository })
  return join(target, bin)
}

interface Package {
  name: string
  dependencies?: Record<string, string>
}

function packageAt(folder: string): unknown {
  return JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8'))
}

/** npm's links to the workspaces. */
function linksOf(workspaces: readonly string[]): string[] {
  return workspaces.map((folder) => `node_modules/${(packageAt(folder) as Package).name}`)
}

/** Folders of the packages that these import, directly or not. npm puts each beside the others. */
function modulesOf(workspaces: readonly string[]): string[] {
  const found = new Set<string>()
  const add = (folder: string) => {
    for (const name of Object.keys((packageAt(folder) as Package).dependencies ?? {})) {
      const module = `node_modules/${name}`
      // What a package has for itself alone is copied with it; workspaces are there.
      if (found.has(module) || !existsSync(join(repository, module))) continue
      found.add(module)
      add(module)
    }
  }
  for (const folder of workspaces) add(folder)
  const links = linksOf(workspaces)
  return [...found].filter((module) => !links.includes(module))
}
