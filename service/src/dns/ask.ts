/** Asks the resolvers a question, one after the other, until one answers. @module */
import { createAskOne, type AskLimits, type AskOneOptions, type Question } from './ask-one.ts'
import { Declined, NoReply } from './exchange.ts'
import type { Reply } from './message/reply.ts'
import type { Resolver } from './resolver.ts'
import { exchangeByTcp } from './tcp-exchange.ts'
import { exchangeByUdp } from './udp-exchange.ts'

export interface AskOptions extends AskOneOptions {
  resolvers: readonly Resolver[]
}

/** @returns a reply with NOERROR or NXDOMAIN @throws NoReply, GivenUp, or the signal's reason */
export type Ask = (question: Question, limits: AskLimits) => Promise<Reply>

// TCP when no resolver answers by UDP: datagrams get lost, or a resolver changes the letter case.
const ways = [exchangeByUdp, exchangeByTcp]

export function createAsk({ resolvers, ...options }: AskOptions): Ask {
  const askOne = createAskOne(options)
  let order = [...resolvers]
  // A silent resolver is asked last from then on, or each question would wait for it again.
  const putLast = (silent: Resolver) => {
    order = [...order.filter((resolver) => resolver !== silent), silent]
  }
  return async (question, limits) => {
    const failures = new Map<Resolver, NoReply[]>()
    for (const way of ways) {
      for (const resolver of order.filter((one) => !hasDeclined(failures.get(one)))) {
        const reply = await askOne(question, resolver, way, limits).catch(asNoReply)
        if (!(reply instanceof NoReply)) return reply
        failures.set(resolver, [...(failures.get(resolver) ?? []), reply])
        if (!(reply instanceof Declined)) putLast(resolver)
      }
    }
    throw new NoReply(describe(resolvers, failures))
  }
}

function hasDeclined(failures: readonly NoReply[] = []): boolean {
  return failures.some((failure) => failure instanceof Declined)
}

function asNoReply(error: unknown): NoReply {
  if (error instanceof NoReply) return error
  throw error
}

/** Numbers the resolvers and hides their addresses: jobs read this, and must not learn them. */
function describe(
  resolvers: readonly Resolver[],
  failures: ReadonlyMap<Resolver, readonly NoReply[]>,
): string {
  return resolvers
    .map((resolver, at) => `resolver ${at + 1}: ${reasons(failures.get(resolver))}`)
    .join('; ')
}

/** The reasons for UDP first, then for TCP. */
function reasons(failures: readonly NoReply[] = []): string {
  const texts = new Set(failures.map(({ message }) => message))
  return [...texts].join(', by TCP: ') || 'not asked'
}
