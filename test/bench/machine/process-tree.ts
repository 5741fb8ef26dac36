/**
 * Which process descends from which.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'

/** Every living process below one, parents before children. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map(allPids().map((child) => [child, parentOf(child)]))
  const below = (ancestor: number): number[] =>
    [...parents]
      .filter(([, parent]) => parent === ancestor)
      .flatMap(([child]) => [child, ...below(child)])
  return below(pid)
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** Undefined for a process that ended meanwhile. */
function parentOf(pid: number): number | undefined {
  try {
    const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(parent)
  } catch {
    return undefined
  }
}
