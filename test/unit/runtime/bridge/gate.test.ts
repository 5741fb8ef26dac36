import { describe, expect, it } from 'vitest'
import { methodFacts, type MethodName } from '@causeway/guest-sdk/protocol'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import {
  availability,
  createGate,
  unknownPatterns,
  type GateOptions,
} from '../../../../runtime/src/bridge/gate.ts'
import { compareLevels, implementedLevel } from '../../../../runtime/src/bridge/level.ts'

const names = Object.keys(methodFacts) as MethodName[]
const signer = names.filter((name) => name.startsWith('signer_'))

/** The accepted method, or the content of the error reply. */
function outcome(options: Partial<GateOptions>, method: string): unknown {
  try {
    return createGate({ level: implementedLevel, ...options })(method)
  } catch (error) {
    return toErrorObject(error as RpcError)
  }
}

/** Accepted names, without those that no policy restricts. */
const granted = (allowedMethods: string[]) =>
  names.filter((name) => !name.startsWith('rpc.') && outcome({ allowedMethods }, name) === name)

describe('bridge level', () => {
  it.each(['1.25.0', '1.25.1', '1.26.0', '1.27.0'])('at %s every row is served', (level) => {
    expect(names.map((name) => outcome({ level }, name))).toEqual(names)
  })

  it.each(names)('%s does not exist below its level', (name) => {
    expect(outcome({ level: '1.24.9' }, name)).toEqual({
      code: -32601,
      message: `${name} needs bridge level 1.25.0, this host has 1.24.9`,
      data: {
        kind: 'METHOD_NOT_FOUND',
        retryable: false,
        details: { since: '1.25.0', reason: 'version' },
      },
    })
  })

  it.each([
    { a: '1.27.0', b: '1.27.0', sign: 0 },
    { a: '1.9.0', b: '1.10.0', sign: -1 },
    { a: '1.27.10', b: '1.27.9', sign: 1 },
    { a: '2.0.0', b: '1.99.99', sign: 1 },
    { a: '0.99.99', b: '1.0.0', sign: -1 },
  ])('$a against $b is $sign', ({ a, b, sign }) => {
    expect(Math.sign(compareLevels(a, b))).toBe(sign)
    expect(Math.sign(compareLevels(b, a))).toBe(sign === 0 ? 0 : -sign)
  })
})

describe('policy', () => {
  it('without a list grants everything', () => {
    expect(names.map((name) => outcome({}, name))).toEqual(names)
  })

  it.each([
    { policy: [], allowed: [] },
    { policy: ['*'], allowed: names.filter((name) => name !== 'rpc.discover') },
    { policy: ['signer_*'], allowed: signer },
    { policy: ['signer_sign'], allowed: ['signer_sign'] },
    { policy: ['signer_s*'], allowed: ['signer_sign'] },
    { policy: ['signer'], allowed: [] },
    { policy: ['SIGNER_*'], allowed: [] },
    { policy: ['*_sign'], allowed: [] },
    { policy: ['deployment_id', 'processor_*'], allowed: ['processor_version', 'deployment_id'] },
  ])('$policy', ({ policy, allowed }) => {
    expect(granted(policy)).toEqual(allowed)
  })

  it.each([[], ['signer_*'], ['rpc.*'], ['rpc.discover']])(
    'never narrows rpc.discover: %j',
    (...allowedMethods) => {
      expect(outcome({ allowedMethods }, 'rpc.discover')).toBe('rpc.discover')
    },
  )

  it('hints at what to do about a refusal', () => {
    expect(outcome({ allowedMethods: ['deployment_*'] }, 'signer_sign')).toEqual({
      code: -32603,
      message: 'signer_sign is not granted to this deployment',
      data: {
        kind: 'PERMISSION_DENIED',
        retryable: false,
        hint: "the operator grants methods in the deployment's policy.methods",
      },
    })
  })

  it('finds patterns that match nothing', () => {
    const policy = ['signer_*', 'tunnel_*', 'deployment_id', 'deployment_ID', '*', 'x']
    expect(unknownPatterns(policy)).toEqual(['tunnel_*', 'deployment_ID', 'x'])
  })

  it('a method above the level does not exist, granted or not', () => {
    const options = { level: '1.0.0', allowedMethods: ['deployment_*'] }
    expect(outcome(options, 'signer_sign')).toMatchObject({ code: -32601 })
  })
})

describe('availability agrees with the gate', () => {
  it.each<{ options: Partial<GateOptions> }>([
    { options: {} },
    { options: { level: '1.24.9' } },
    { options: { level: '1.26.0', allowedMethods: ['deployment_*'] } },
    { options: { allowedMethods: [] } },
  ])('$options', ({ options }) => {
    for (const name of names) {
      const said = availability(name, { level: implementedLevel, ...options })
      const done = outcome(options, name)
      const message = done === name ? undefined : (done as { message: string }).message
      expect(said).toMatchObject({ available: done === name, ...(message && { message }) })
    }
  })

  it.each([
    { options: { level: '1.0.0', allowedMethods: [] }, reason: 'version' },
    { options: { level: implementedLevel, allowedMethods: [] }, reason: 'policy' },
  ])('$reason', ({ options, reason }) => {
    expect(availability('signer_sign', options)).toMatchObject({ available: false, reason })
  })
})

describe('unknown methods', () => {
  it.each([
    '',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'signer_Sign',
    ' signer_sign',
    'signer_sign ',
    'signer_*',
    'rpc.Discover',
    'rpc.',
  ])('%j', (name) => {
    expect(outcome({}, name)).toEqual({
      code: -32601,
      message: `there is no method ${JSON.stringify(name)}`,
      data: { kind: 'METHOD_NOT_FOUND', retryable: false },
    })
  })

  it('a long name is truncated in the error', () => {
    expect(outcome({}, 'x'.repeat(1_000_000))).toMatchObject({
      message: `there is no method "${'x'.repeat(80)}"`,
    })
  })
})
