/**
 * The command for other users.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Copies the command where any user can reach it: a checkout may be in root's closed home. */
export function copyCheckout(target: string): string {
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
  execFileSync('cp', ['-a', ...parts, target], { cwd: repository })
  return join(target, 'runtime/bin/causeway.js')
}
