/** Checks how resources are limited: those of jobs, and those of this process. @module */
import { readFileSync } from 'node:fs'
import { openSandbox } from '../sandbox/sandbox.ts'
import { lacking, type Check } from './finding.ts'

/**
 * Reads the soft limit of this process, as getrlimit(2) does.
 * @param name as in /proc/self/limits
 * @returns Infinity for no limit; undefined when the kernel knows no limit of this name
 */
export function softLimit(name: string): number | undefined {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(`${name} `))
  const value = line?.slice(name.length).trim().split(/\s+/)[0]
  if (value === undefined) return undefined
  return value === 'unlimited' ? Infinity : Number(value)
}

/** Reports how memory, processes and storage of jobs are limited here. */
export const limitsCheck: Check = {
  name: 'limits of jobs',
  async look(host) {
    const { deployments } = host.openState()
    const { limits, missing } = await openSandbox(host.config.sandbox, deployments)
    const text = Object.entries(limits).map(([what, how]) => `${what}: ${how}`)
    return lacking(text.join(', '), missing.limits)
  },
}
