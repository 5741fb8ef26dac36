import { defaultMaxListeners, getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { createAdmissions } from '../../../../runtime/src/network/admissions.ts'
import type { Verification } from '../../../../runtime/src/network/verify/verification.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { failing, passing, recordingNetwork } from '../../../support/verifications.ts'

const source = new Uint8Array(32).fill(7)

/** Admissions with a verifier that the test scripts. */
function fixture(answer: (host: string) => Verification | Promise<Verification>) {
  const asked: string[] = []
  const signals: (AbortSignal | undefined)[] = []
  const network = recordingNetwork()
  const { log, lines } = recordingLog()
  const admissions = createAdmissions({
    verifyHost: async (host, account, signal) => {
      expect(account).toBe(source)
      asked.push(host)
      signals.push(signal)
      return answer(host)
    },
    network,
    source,
    log,
  })
  return { ...admissions, asked, signals, calls: network.calls, network, lines }
}

const at = (address: string, seconds = 60) => ({ address, seconds })
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)
const kindOf = async (call: Promise<void>) => {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  return error instanceof RpcError ? error.kind : error
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a host that passes', () => {
  test('is admitted before the call is answered, for its time and a little more', async () => {
    const { whitelist, calls, list } = fixture((host) =>
      passing(host, [at('192.0.2.1'), at('2001:db8::1', 300)]),
    )
    const order: string[] = []
    const call = whitelist('a.example').then(() => order.push(...calls, 'answered'))
    await call
    expect(order).toEqual(['admit 192.0.2.1 65', 'admit 2001:db8::1 65', 'answered'])
    expect(list()).toEqual([
      { host: 'a.example', addresses: [at('192.0.2.1', 60), at('2001:db8::1', 60)] },
    ])
  })

  test('is not whitelisted when the kernel refuses it', async () => {
    const { whitelist, network, list, asked } = fixture(passing)
    network.admit = () => Promise.reject(new Error('nft: no'))
    await expect(whitelist('a.example')).rejects.toThrow('nft: no')
    expect(list()).toEqual([])
    await seconds(3600)
    expect(asked).toEqual(['a.example'])
  })

  test('is listed with the time that each address has left', async () => {
    const { whitelist, list } = fixture((host) => passing(host, [at('192.0.2.1', 3600)]))
    await whitelist('a.example')
    await seconds(600)
    expect(list()).toEqual([{ host: 'a.example', addresses: [at('192.0.2.1', 3000)] }])
  })

  test('is listed once, however it is written, and verified as it was written', async () => {
    const { whitelist, list, asked } = fixture((host) => passing(host.toLowerCase()))
    await whitelist('A.example')
    await whitelist('a.example')
    await whitelist('A.EXAMPLE')
    expect(list().map(({ host }) => host)).toEqual(['a.example'])
    await seconds(46)
    expect(asked).toEqual(['A.example', 'a.example', 'A.EXAMPLE', 'A.EXAMPLE'])
  })
})

describe('calls for the same host', () => {
  test('share one verification when they are concurrent', async () => {
    let release = (_found: Verification) => {}
    const { whitelist, asked, calls } = fixture(
      () => new Promise((resolve) => void (release = resolve)),
    )
    const waiting = [whitelist('a.example'), whitelist('a.example')]
    await seconds(1)
    release(passing('a.example'))
    await Promise.all(waiting)
    expect([asked, calls]).toEqual([['a.example'], ['admit 192.0.2.1 65']])
  })

  test('one after the other find addresses in rotation, and keep those found before', async () => {
    let turn = 0
    const { whitelist, list, calls } = fixture((host) => passing(host, [at(`192.0.2.${++turn}`)]))
    await whitelist('a.example')
    await seconds(10)
    await whitelist('a.example')
    expect(calls).toEqual(['admit 192.0.2.1 65', 'admit 192.0.2.2 65'])
    expect(list()[0]?.addresses).toEqual([at('192.0.2.1', 50), at('192.0.2.2', 60)])
    await seconds(50)
    expect(list()[0]?.addresses.map(({ address }) => address)).not.toContain('192.0.2.1')
  })

  test('are refused again for five seconds without another look-up', async () => {
    const { whitelist, asked } = fixture((host) => failing(host, 'TXT_MISSING'))
    expect(await kindOf(whitelist('a.example'))).toBe('TXT_MISSING')
    await seconds(4.9)
    expect(await kindOf(whitelist('a.example'))).toBe('TXT_MISSING')
    expect(asked).toHaveLength(1)
    expect(await kindOf(whitelist('b.example'))).toBe('TXT_MISSING')
    expect(asked).toHaveLength(2)
    await seconds(0.2)
    expect(await kindOf(whitelist('a.example'))).toBe('TXT_MISSING')
    expect(asked).toHaveLength(3)
  })

  test('in another letter case are refused, too, when records are missing', async () => {
    const { whitelist, asked } = fixture((host) => failing(host.toLowerCase(), 'TXT_MISSING'))
    expect(await kindOf(whitelist('A.example'))).toBe('TXT_MISSING')
    expect(await kindOf(whitelist('a.example'))).toBe('TXT_MISSING')
    expect(await kindOf(whitelist('a.EXAMPLE'))).toBe('TXT_MISSING')
    expect(asked).toEqual(['A.example'])
    await seconds(5.1)
    expect(await kindOf(whitelist('a.EXAMPLE'))).toBe('TXT_MISSING')
    expect(asked).toEqual(['A.example', 'a.EXAMPLE'])
  })

  test('in another letter case are verified again when the record may be about that', async () => {
    const { whitelist, asked, list } = fixture((host) =>
      host === 'A.example' ? passing('a.example') : failing('a.example', 'TXT_MISMATCH'),
    )
    expect(await kindOf(whitelist('a.example'))).toBe('TXT_MISMATCH')
    expect(await kindOf(whitelist('a.example'))).toBe('TXT_MISMATCH')
    await whitelist('A.example')
    expect(asked).toEqual(['a.example', 'A.example'])
    expect(list()).toHaveLength(1)
  })

  test('are verified again at once when DNS did not answer', async () => {
    const { whitelist, asked } = fixture((host) => failing(host, 'RESOLVER_FAILED'))
    expect(await kindOf(whitelist('a.example'))).toBe('RESOLVER_FAILED')
    expect(await kindOf(whitelist('a.example'))).toBe('RESOLVER_FAILED')
    expect(asked).toHaveLength(2)
  })
})

describe('a refusal', () => {
  const refusal = async (kind: Parameters<typeof failing>[1]) => {
    const { whitelist } = fixture((host) => failing(host, kind))
    const error: unknown = await whitelist('a.example').catch((thrown: unknown) => thrown)
    return error as RpcError
  }

  test('names step, name, what was found and what to publish', async () => {
    const { kind, message, options } = await refusal('PTR_TXT_MISSING')
    const name = '_acu.ptr.a.example'
    expect({ kind, message }).toEqual({
      kind: 'PTR_TXT_MISSING',
      message: `${name}: expected a record, found none`,
    })
    const expected = `${name}. 300 IN TXT "v=abc="`
    const details = { step: 'counterclaim', name, found: [], expected, address: '192.0.2.1' }
    expect(options).toEqual({ hint: `publish ${expected}`, details })
  })

  test('has no hint where publishing would not help, and no address before one is found', async () => {
    const { options } = await refusal('RESOLVER_FAILED')
    expect(options).toEqual({ details: { step: 'claim', name: '_acu.a.example', found: [] } })
  })

  test.each([0, 20, 31, 33])(
    'an owner of %i bytes is not an account: nothing is looked up',
    async (length) => {
      const { log } = recordingLog()
      const verifyHost = vi.fn<() => Promise<Verification>>()
      const network = recordingNetwork()
      const { whitelist } = createAdmissions({
        verifyHost,
        network,
        source: new Uint8Array(length),
        log,
      })
      expect(await kindOf(whitelist('a.example'))).toBe('FAILED_PRECONDITION')
      await expect(whitelist('a.example')).rejects.toThrow(
        `account of 32 bytes, found ${length} bytes`,
      )
      expect(verifyHost).not.toHaveBeenCalled()
    },
  )
})

describe('limits of a deployment', () => {
  test('64 hosts; one of them may be whitelisted again', async () => {
    const { whitelist, list } = fixture((host) => passing(host))
    for (let index = 0; index < 64; index++) await whitelist(`h${index}.example`)
    expect(await kindOf(whitelist('one-more.example'))).toBe('LIMIT_EXCEEDED')
    await whitelist('h3.example')
    expect(list()).toHaveLength(64)
  })

  test('256 addresses, each counted once', async () => {
    const many = (host: string) => {
      const number = Number(host.slice(1, host.indexOf('.')))
      const addresses = Array.from({ length: 16 }, (_, index) => at(`10.0.${number}.${index}`))
      return passing(host, addresses)
    }
    const { whitelist, calls } = fixture((host) => many(host.replace('same', 'h0')))
    for (let index = 0; index < 16; index++) await whitelist(`h${index}.example`)
    expect(calls).toHaveLength(256)
    await expect(whitelist('h16.example')).rejects.toThrow('too many addresses')
    expect(calls).toHaveLength(256)
    await whitelist('same.example')
    expect(calls).toHaveLength(272)
  })

  test('concurrent calls do not exceed them together', async () => {
    const { whitelist, list } = fixture((host) => passing(host))
    const calls = Array.from({ length: 70 }, (_, index) => kindOf(whitelist(`h${index}.example`)))
    const kinds = await Promise.all(calls)
    expect(kinds.filter((kind) => kind === 'LIMIT_EXCEEDED')).toHaveLength(6)
    expect(list()).toHaveLength(64)
  })

  test('a host that is dropped no longer counts', async () => {
    let consents = true
    const { whitelist, list } = fixture((host) =>
      consents ? passing(host) : failing(host, 'TXT_MISSING'),
    )
    for (let index = 0; index < 64; index++) await whitelist(`h${index}.example`)
    consents = false
    await seconds(60)
    expect(list()).toEqual([])
    consents = true
    await seconds(5)
    await whitelist('one-more.example')
  })
})

describe('before its records expire a host', () => {
  test('is verified again, as long as the deployment runs, and there is no gap', async () => {
    const { whitelist, asked, calls, list } = fixture((host) => passing(host))
    await whitelist('a.example')
    for (let minute = 1; minute <= 10; minute++) {
      await seconds(45)
      expect(asked).toHaveLength(1 + minute)
      expect(list()[0]?.addresses).toEqual([at('192.0.2.1', 60)])
    }
    expect(calls).toEqual(Array.from({ length: 11 }, () => 'admit 192.0.2.1 65'))
  })

  test('is dropped at once when its owner no longer consents, and logged once', async () => {
    let consents = true
    const { whitelist, calls, list, lines, asked } = fixture((host) =>
      consents ? passing(host) : failing(host, 'TXT_MISMATCH'),
    )
    await whitelist('a.example')
    consents = false
    await seconds(45)
    expect(calls).toEqual(['admit 192.0.2.1 65', 'revoke 192.0.2.1'])
    expect(list()).toEqual([])
    await seconds(600)
    expect(asked).toHaveLength(2)
    expect(lines).toMatchObject([
      { msg: 'host no longer whitelisted', host: 'a.example', kind: 'TXT_MISMATCH' },
    ])
  })

  test('stays for its time when DNS does not answer, and is verified again meanwhile', async () => {
    let works = true
    const { whitelist, calls, list, asked } = fixture((host) =>
      works ? passing(host) : failing(host, 'RESOLVER_FAILED'),
    )
    await whitelist('a.example')
    works = false
    await seconds(59)
    expect(asked.length).toBeGreaterThan(2)
    expect(list()).toHaveLength(1)
    works = true
    await seconds(1)
    expect(list()[0]?.addresses).toEqual([at('192.0.2.1', 60)])
    works = false
    await seconds(60)
    expect(calls.at(-1)).toBe('revoke 192.0.2.1')
    const before = asked.length
    await seconds(600)
    expect(asked).toHaveLength(before)
  })

  test('is tried again after a fault of our own, which is logged', async () => {
    let fault = false
    const { whitelist, list, lines } = fixture((host) => {
      if (fault) throw new Error('a bug')
      return passing(host)
    })
    await whitelist('a.example')
    fault = true
    await seconds(46)
    fault = false
    await seconds(5)
    expect(list()[0]?.addresses).toEqual([at('192.0.2.1', 59)])
    expect(lines).toMatchObject([{ level: 50, msg: 'host not verified again', host: 'a.example' }])
  })

  test('loses the address whose own owner no longer consents', async () => {
    let consents = true
    const both = [at('192.0.2.1'), at('192.0.2.2')]
    const { whitelist, calls, list } = fixture((host) => {
      const { steps } = failing(host, 'PTR_TXT_MISSING')
      return consents ? passing(host, both) : { ...passing(host, both.slice(1)), steps }
    })
    await whitelist('a.example')
    consents = false
    await seconds(45)
    expect(calls.slice(2)).toEqual(['admit 192.0.2.2 65', 'revoke 192.0.2.1'])
    expect(list()[0]?.addresses).toEqual([at('192.0.2.2', 60)])
  })

  test('keeps the address for which DNS does not answer', async () => {
    let works = true
    const both = [at('192.0.2.1', 600), at('192.0.2.2', 60)]
    const { whitelist, calls } = fixture((host) => {
      const { steps } = failing(host, 'RESOLVER_FAILED')
      const [first] = steps
      const unknown = { ...first!, address: '192.0.2.1' }
      return works ? passing(host, both) : { ...passing(host, both.slice(1)), steps: [unknown] }
    })
    await whitelist('a.example')
    works = false
    await seconds(45)
    expect(calls).not.toContain('revoke 192.0.2.1')
  })
})

describe('an address of two hosts', () => {
  test('stays admitted as long as one of them has it', async () => {
    const gone = new Set<string>()
    const { whitelist, calls } = fixture((host) =>
      gone.has(host) ? failing(host, 'TXT_MISSING') : passing(host),
    )
    await whitelist('a.example')
    await seconds(10)
    await whitelist('b.example')
    gone.add('a.example')
    await seconds(35)
    expect(calls).not.toContain('revoke 192.0.2.1')
    gone.add('b.example')
    await seconds(10)
    expect(calls.at(-1)).toBe('revoke 192.0.2.1')
  })

  test('is not shortened by the host with less time', async () => {
    const { whitelist, calls } = fixture((host) =>
      passing(host, [at('192.0.2.1', host === 'a.example' ? 3600 : 60)]),
    )
    await whitelist('a.example')
    await whitelist('b.example')
    expect(calls).toEqual(['admit 192.0.2.1 3605', 'admit 192.0.2.1 3605'])
  })
})

describe('after close', () => {
  test('no timer is left and calls fail', async () => {
    const { whitelist, close, asked } = fixture((host) => passing(host))
    await whitelist('a.example')
    await close()
    expect(vi.getTimerCount()).toBe(0)
    await seconds(3600)
    expect(asked).toHaveLength(1)
    expect(await kindOf(whitelist('a.example'))).toBe('UNAVAILABLE')
  })

  test('a pending call fails, its verification is aborted, and nothing is admitted', async () => {
    let release = (_found: Verification) => {}
    const { whitelist, close, signals, calls } = fixture(
      () => new Promise((resolve) => void (release = resolve)),
    )
    const call = kindOf(whitelist('a.example'))
    await seconds(1)
    void close()
    expect(signals[0]?.aborted).toBe(true)
    release(passing('a.example'))
    expect(await call).toBe('UNAVAILABLE')
    expect(calls).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })
})

/** Calls that are pending until the test ends them, in their order. */
function heldCalls<T>() {
  const ends: ((result: T) => void)[] = []
  return { hold: () => new Promise<T>((resolve) => void ends.push(resolve)), ends }
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.example`)

describe('close during a change in the kernel', () => {
  test('waits for the change, and later ones do not reach the kernel', async () => {
    const { whitelist, close, network, calls, list } = fixture(passing)
    const { hold, ends } = heldCalls<void>()
    const admit = network.admit.bind(network)
    network.admit = async (addresses) => {
      await hold()
      await admit(addresses)
    }
    const waiting = names(3).map((name) => kindOf(whitelist(name)))
    await seconds(1)
    expect(ends).toHaveLength(1)
    const closed = close().then(() => calls.push('closed'))
    await seconds(1)
    expect(calls).toEqual([])
    ends[0]?.()
    await closed
    expect(await Promise.all(waiting)).toEqual([undefined, 'UNAVAILABLE', 'UNAVAILABLE'])
    await seconds(60)
    expect(ends).toHaveLength(1)
    expect(calls).toEqual(['admit 192.0.2.1 65', 'closed'])
    expect(list().map(({ host }) => host)).toEqual([])
  })

  test('prevents a later revocation, and logs no error', async () => {
    let consents = true
    const { whitelist, close, network, calls, lines } = fixture((host) =>
      consents
        ? passing(host, [at(host === 'a.example' ? '192.0.2.1' : '192.0.2.2')])
        : failing(host, 'TXT_MISSING'),
    )
    const { hold, ends } = heldCalls<void>()
    await whitelist('a.example')
    const admit = network.admit.bind(network)
    network.admit = hold
    const call = kindOf(whitelist('b.example'))
    await seconds(1)
    network.admit = admit
    consents = false
    // Revokes `a` after the change that `b` has begun.
    await seconds(45)
    const closed = close()
    ends[0]?.()
    await closed
    await call
    await seconds(1)
    expect(calls).toEqual(['admit 192.0.2.1 65'])
    expect(lines.filter(({ level }) => level === 50)).toEqual([])
  })
})

describe('of one deployment', () => {
  test('four hosts are verified at once, the others in their order', async () => {
    const { hold, ends } = heldCalls<Verification>()
    const { whitelist, asked } = fixture(hold)
    const waiting = names(6).map((name) => kindOf(whitelist(name)))
    await seconds(1)
    expect(asked).toEqual(names(4))
    ends[2]?.(passing('h2.example'))
    await seconds(0)
    expect(asked).toEqual(names(5))
    ends[0]?.(failing('h0.example', 'RESOLVER_FAILED'))
    await seconds(0)
    expect(asked).toEqual(names(6))
    ends.forEach((end, at) => end(passing(`h${at}.example`)))
    expect(await Promise.all(waiting)).toEqual(['RESOLVER_FAILED', ...Array<void>(5)])
  })

  test('a call that waited too long costs no query, and learns when to try again', async () => {
    const { hold, ends } = heldCalls<Verification>()
    const { whitelist, asked } = fixture(hold)
    const first = names(4).map((name) => kindOf(whitelist(name)))
    const late = whitelist('late.example').catch((thrown: unknown) => thrown)
    await seconds(5.1)
    const next = kindOf(whitelist('next.example'))
    ends.forEach((end, at) => end(passing(`h${at}.example`)))
    expect(await late).toMatchObject({
      kind: 'LIMIT_EXCEEDED',
      message: 'too many hosts are being verified (limit 4 at once)',
      options: { retryAfterMs: 1000 },
    })
    await seconds(0)
    expect(asked).toEqual([...names(4), 'next.example'])
    ends.at(-1)?.(passing('next.example'))
    expect(await Promise.all([...first, next])).toEqual(Array<void>(5))
  })

  test('no more calls listen to the signal than Node allows without a warning', async () => {
    const { whitelist, close, signals } = fixture((_host) => {
      const signal = signals.at(-1)!
      // The DNS client listens to the signal like this.
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    })
    const waiting = names(20).map((name) => kindOf(whitelist(name)))
    await seconds(1)
    expect(getEventListeners(signals[0]!, 'abort').length).toBeLessThanOrEqual(defaultMaxListeners)
    await close()
    expect(await Promise.all(waiting)).toEqual(Array.from(waiting, () => 'UNAVAILABLE'))
  })
})
