import { afterAll, describe, expect, test } from 'vitest'
import { opensslSpeed, parseSpeed } from '../../bench/machine/openssl-speed.ts'
import { createProcesses } from '../../bench/machine/processes.ts'

const processes = createProcesses()
afterAll(processes.stopAll)

describe('openssl speed', { timeout: 60_000 }, () => {
  test('says how often it agrees on a secret', async () => {
    const placement = { server: [], client: [], moveJob: () => {} }
    expect(await opensslSpeed('ecdhp256', { processes, placement })).toBeGreaterThan(0)
  })

  test.each([
    ['ecdsap256', '+F4:3:256:68245.263158:23825.263158', 68245.263158],
    ['ecdhp256', '+F5:3:256:31312.631579:0.000032', 31312.631579],
    ['ed25519', '+F6:0:253:Ed25519:42570.526316:15085.263158', 42570.526316],
  ] as const)('%s is the first speed of its line', (algorithm, line, expected) => {
    expect(parseSpeed(algorithm, `+F2:1:512:1.0:2.0\n${line}\n`)).toBe(expected)
  })

  test('output of another kind is an error', () => {
    const line = '+F4:4:384:1172.0:1378.0'
    expect(() => parseSpeed('ecdsap256', line)).toThrow(`found ${line}`)
  })
})
