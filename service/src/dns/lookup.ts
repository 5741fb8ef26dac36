/** Looks up the records of a name, through its aliases. @module */
import type { Ask } from './ask.ts'
import { noSuchName, type AskLimits } from './ask-one.ts'
import { isDomainName } from './message/domain-name.ts'
import { GivenUp, NoReply } from './exchange.ts'
import { quoted } from './message/printable.ts'
import type { RecordType } from './message/query.ts'
import type { DnsRecord, Reply } from './message/reply.ts'

/** `missing`: no records exist; `failed`: no resolver answered. `reason` follows a "because". */
export type Answer =
  | {
      state: 'found'
      /** At least one record. */
      data: readonly string[]
      /** The smallest time to live of all records that led there. */
      seconds: number
    }
  | { state: 'missing' | 'failed'; reason: string }

/** @param name passed `isDomainName` @throws the signal's reason, unless that is GivenUp */
export type Lookup = (name: string, type: RecordType) => Promise<Answer>

const mostAliases = 8

export function createLookup(ask: Ask, limits: AskLimits): Lookup {
  return async (name, type) => {
    try {
      return await follow(ask, limits, { name, type, seen: new Set(), seconds: Infinity })
    } catch (error) {
      if (!(error instanceof NoReply || error instanceof GivenUp)) throw error
      return { state: 'failed', reason: error.message }
    }
  }
}

/** The state of a look-up. */
interface Trail {
  /** The name to ask for next, lower case. */
  name: string
  type: RecordType
  /** Aliases that were followed. */
  seen: Set<string>
  seconds: number
}

/** Resolvers follow aliases themselves; if one did not, it is asked for the alias's target. */
async function follow(ask: Ask, limits: AskLimits, from: Trail): Promise<Answer> {
  let trail = from
  for (;;) {
    const reply = await ask(trail, limits)
    const next = readTrail(reply, trail)
    if ('state' in next) return next
    if (next.name === trail.name || reply.code === noSuchName) return missing(reply, trail.type)
    trail = next
  }
}

/** Ignores records of other names than the one asked for and its aliases, whoever sent them. */
function readTrail({ records }: Reply, from: Trail): Answer | Trail {
  let trail = from
  for (;;) {
    const own = records.filter(({ name }) => name === trail.name)
    const wanted = own.filter(({ type }) => type === trail.type)
    if (wanted.length > 0) return found(wanted, trail)
    const alias = own.find(({ type }) => type === 'CNAME')
    if (!alias) return trail
    const next = followAlias(alias, trail)
    if ('state' in next) return next
    trail = next
  }
}

function found(wanted: readonly DnsRecord[], { seconds }: Trail): Answer {
  const data = [...new Set(wanted.map((record) => record.data))]
  return { state: 'found', data, seconds: Math.min(seconds, ...wanted.map(({ ttl }) => ttl)) }
}

function followAlias(alias: DnsRecord, { type, seen, seconds }: Trail): Answer | Trail {
  seen.add(alias.name)
  const name = alias.data.toLowerCase()
  const wrong = wrongAlias(name, alias.data, seen)
  if (wrong !== undefined) return { state: 'missing', reason: wrong }
  return { name, type, seen, seconds: Math.min(seconds, alias.ttl) }
}

function wrongAlias(name: string, written: string, seen: ReadonlySet<string>): string | undefined {
  if (seen.has(name)) return `its CNAME records form a loop through ${name}`
  if (seen.size > mostAliases) return `its CNAME chain has more than ${mostAliases} names`
  if (!isDomainName(name)) return `its CNAME record leads to ${quoted(written)}`
  return undefined
}

function missing({ code }: Reply, type: RecordType): Answer {
  const reason = code === noSuchName ? 'there is no such name' : `the name has no ${type} record`
  return { state: 'missing', reason }
}
