import { expect, test } from 'vitest'
import { lease } from '../../../../runtime/src/job-network/one-execution.ts'

/** A network whose calls end when the test ends them. */
function heldNetwork() {
  const said: string[] = []
  const ends: (() => void)[] = []
  const call = (name: string) => () => {
    said.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const counters = async () => ({ admitted: 0, limited: 0, refused: 0 })
  return {
    said,
    end: () => ends.shift()!(),
    network: { namespace: 7, admit: call('admit'), revoke: call('revoke'), counters },
  }
}

test('a network is given back when no call is pending any more', async () => {
  const { network, said, end } = heldNetwork()
  const { admit, revoke, release } = lease(network, async () => void said.push('given back'))
  const admitting = admit([])
  const revoking = revoke([])
  const released = release()
  await Promise.resolve()
  expect(said).toEqual(['admit', 'revoke'])
  end()
  end()
  await Promise.all([admitting, revoking, released])
  expect(said).toEqual(['admit', 'revoke', 'given back'])
})

test('a network that was released refuses further calls', async () => {
  const { network, said } = heldNetwork()
  const { admit, revoke, counters, release } = lease(network, async () => {})
  await release()
  await expect(admit([])).rejects.toThrow('is over')
  await expect(revoke([])).rejects.toThrow('is over')
  await expect(counters()).rejects.toThrow('is over')
  expect(said).toEqual([])
})

test('a network is given back even if a pending call fails', async () => {
  let gaveBack = 0
  const admit = () => Promise.reject(new Error('nft: broken'))
  const { network } = heldNetwork()
  const leased = lease({ ...network, admit }, async () => void gaveBack++)
  const admitting = leased.admit([])
  await leased.release()
  await expect(admitting).rejects.toThrow('broken')
  expect(gaveBack).toBe(1)
})
