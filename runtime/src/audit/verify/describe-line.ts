/** Formats a line of an audit log for people. @module */
import { orNone } from '@causeway/service/failure'

const hashDigitsShown = 16

/** One line of text; an invalid line is shown unchanged after `?`. */
export function describeLine(line: string): string {
  try {
    return describe(line)
  } catch {
    // JSON.stringify throws, for example, on values that are nested too deep.
    return `? ${line}`
  }
}

function describe(line: string): string {
  const members = parse(line)
  if (!members) return `? ${line}`
  const { seq, time, event, ...facts } = members
  const start = `${textOf(seq)}  ${timeText(time)}`
  return typeof event === 'string'
    ? `${start}  ${event}${factsText(facts)}`
    : `${start}  ${useText(facts)}`
}

function useText({ method, curve, path, sha256, pid, outcome }: Record<string, unknown>): string {
  const target = [curve, path].filter((part) => part !== undefined).map(textOf)
  const hash = typeof sha256 === 'string' ? [`sha256 ${sha256.slice(0, hashDigitsShown)}…`] : []
  const end = outcome === undefined ? [] : [textOf(outcome)]
  return [`${textOf(method)}(${target.join(', ')})`, ...hash, `pid ${textOf(pid)}`, ...end].join(
    '  ',
  )
}

function parse(line: string): Record<string, unknown> | undefined {
  const value = orNone((): unknown => JSON.parse(line))
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function timeText(time: unknown): string {
  const date = new Date(Number(time))
  return Number.isNaN(date.getTime()) ? textOf(time) : date.toISOString()
}

function factsText({ hash: _hash, ...facts }: Record<string, unknown>): string {
  return Object.keys(facts).length > 0 ? `  ${JSON.stringify(facts)}` : ''
}
