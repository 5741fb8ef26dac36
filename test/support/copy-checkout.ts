/**
 * The command for other users.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What `npm start` needs beside the packages. */
export const setupParts = [
  'package-lock.json',
  'setup.mjs',
  'tsconfig.base.json',
  'tsconfig.json',
  'test/conformance/kit',
]

/**
 * The built command where any user can reach it: a checkout may lie in root's closed home.
 * @param more files and folders beside the packages
 */
export function copyCheckout(target: string, more: readonly string[] = []): string {
  const repository = fileURLToPath(new URL('../..', import.meta.url))
  const parts = [
    'package.json',
    'node_modules',
    'native',
    'guest-sdk',
    'manifest',
    'images',
    'runtime',
  ]
  execFileSync('cp', ['-a', '--parents', ...parts, ...more, target], { cwd: repository })
  return join(target, 'runtime/bin/causeway.js')
}
