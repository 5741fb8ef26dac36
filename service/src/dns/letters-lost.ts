/**
 * What becomes of a resolver that does not keep the letters of a question: by UDP none of its
 * answers can be told from a forged one, so it is asked by TCP.
 * @module
 */
import { LettersLost, NoReply, type Exchange } from './exchange.ts'
import type { Resolver } from './resolver.ts'
import { exchangeByTcp } from './tcp-exchange.ts'

/** One exchange with a resolver, in the way that is given, unless it is known to need the other. */
export type ExchangeAnyway = (
  resolver: Resolver,
  firstWay: Exchange,
  exchange: (way: Exchange) => Promise<Buffer>,
) => Promise<Buffer>

// To find out takes a whole try, which each question would wait for. Its owner may mend it.
const rememberedMs = 5 * 60_000

export function createExchangeAnyway(): ExchangeAnyway {
  const byTcpUntil = new Map<Resolver, number>()
  return async (resolver, firstWay, exchange) => {
    const isKnown = performance.now() < (byTcpUntil.get(resolver) ?? 0)
    try {
      return await exchange(isKnown ? exchangeByTcp : firstWay)
    } catch (error) {
      if (!(error instanceof LettersLost)) throw error
      const packet = await exchange(exchangeByTcp).catch((second: unknown) => {
        throw second instanceof NoReply ? error : second
      })
      // Only now: somebody who guesses well must not keep a resolver from being asked.
      byTcpUntil.set(resolver, performance.now() + rememberedMs)
      return packet
    }
  }
}
