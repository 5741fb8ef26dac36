/**
 * Asks a resolver by TCP if it changes the letter case of questions: by UDP nobody could tell its
 * answers from forged ones.
 * @module
 */
import { LettersLost, NoReply, type Exchange } from './exchange.ts'
import type { Resolver } from './resolver.ts'
import { exchangeByTcp } from './tcp-exchange.ts'

/** One exchange with a resolver by the given way, or by TCP if the resolver is known to need it. */
export type ExchangeAnyway = (
  resolver: Resolver,
  firstWay: Exchange,
  exchange: (way: Exchange) => Promise<Buffer>,
) => Promise<Buffer>

// Each question would wait a whole try to find out again. The resolver's operator may mend it.
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
      // Only after TCP works: a forger who guesses well must not keep a resolver from being asked.
      byTcpUntil.set(resolver, performance.now() + rememberedMs)
      return packet
    }
  }
}
