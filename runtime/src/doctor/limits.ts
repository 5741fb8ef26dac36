/**
 * Resource limits of this process.
 * @module
 */
import { readFileSync } from 'node:fs'

/**
 * The soft limit that getrlimit(2) would give, by its name in /proc/self/limits.
 * @returns Infinity when there is none; undefined when the kernel has no such limit
 */
export function softLimit(name: string): number | undefined {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name} `))
  const value = line?.slice(name.length).trim().split(/\s+/)[0]
  if (value === undefined) return undefined
  return value === 'unlimited' ? Infinity : Number(value)
}
