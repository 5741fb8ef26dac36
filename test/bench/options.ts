/**
 * The command line of `npm run bench`.
 * @module
 */
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Names of groups; empty means all. */
  groups: string[]
  /** File for the rows. */
  json?: string
  rounds: number
  /** Length of one burst of calls. */
  seconds: number
  /** A missed target makes the exit code 1. */
  strict: boolean
  list: boolean
  help: boolean
}

export const usage = `npm run bench -- [GROUP...] [options]

  --rounds N    rounds of each comparison, 1 to 1000 (default 8)
  --seconds S   length of one burst of calls, 0.05 to 60 (default 0.5)
  --json FILE   write the rows, an array of {group,name,value,unit,floor,ratio,target,holds}
  --strict      exit with 1 when a target is missed
  --list        say which groups there are
  --help        print this
`

/** The command line is wrong; the message says what was expected. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** @throws UsageError */
export function parseOptions(argv: readonly string[], known: readonly string[]): BenchOptions {
  const { values, positionals } = parse(argv)
  const stranger = positionals.find((name) => !known.includes(name))
  if (stranger !== undefined)
    throw new UsageError(`expected a group of ${known.join(', ')}; found ${stranger}`)
  return {
    groups: positionals,
    ...(values.json !== undefined && { json: values.json }),
    rounds: numberOf('--rounds', values.rounds, { min: 1, max: 1000, whole: true }),
    seconds: numberOf('--seconds', values.seconds, { min: 0.05, max: 60, whole: false }),
    strict: values.strict,
    list: values.list,
    help: values.help,
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        rounds: { type: 'string', default: '8' },
        seconds: { type: 'string', default: '0.5' },
        strict: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

interface NumberRule {
  min: number
  max: number
  whole: boolean
}

function numberOf(option: string, text: string, { min, max, whole }: NumberRule): number {
  const value = Number(text)
  const right = text.trim() !== '' && value >= min && value <= max
  if (right && (!whole || Number.isInteger(value))) return value
  const kind = whole ? 'a whole number' : 'a number'
  throw new UsageError(`${option}: expected ${kind} from ${min} to ${max}, found ${text}`)
}
