import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDeployment } from '@causeway/manifest'
import { deploymentFaults } from './read.ts'
import { alice, aliceHex, fullDeployment } from './examples.ts'

const defaults = {
  file: '/jobs/one/d.json',
  origin: {},
  slot: null,
  environment: {},
  schedule: { startTime: 0, endTime: 0, duration: 0, interval: 0, maxStartDelay: 0 },
  memory: 0,
  storage: 0,
  networkRequests: 0,
  assignedProcessors: {},
  interfaces: 'host',
  policy: {},
}

function parse(document: unknown, file = '/jobs/one/d.json') {
  return parseDeployment(JSON.stringify(document), file)
}

function faults(document: unknown): string[] {
  return deploymentFaults(JSON.stringify(document))
}

describe('a deployment file', () => {
  test('may be empty', () => {
    expect(parse({})).toEqual({ deployment: defaults, warnings: [] })
  })

  test('has null for absent', () => {
    const nulls = Object.fromEntries(Object.keys(fullDeployment).map((name) => [name, null]))
    expect(parse(nulls)).toEqual(parse({}))
    expect(parse({ origin: { kind: null, source: null }, schedule: { interval: null } })).toEqual(
      parse({}),
    )
    expect(parse({ assignedProcessors: { [alice]: { p256: null } } }).deployment).toEqual({
      ...defaults,
      assignedProcessors: { [alice]: {} },
    })
  })

  test('is normalised', () => {
    expect(parse(fullDeployment)).toEqual({
      deployment: {
        file: '/jobs/one/d.json',
        id: '3510',
        origin: { kind: 'Example', source: aliceHex },
        bundle: '/jobs/one/job.zip',
        ipfsHash: fullDeployment.ipfsHash,
        slot: 2,
        environment: fullDeployment.environment,
        schedule: fullDeployment.schedule,
        memory: 67108864,
        storage: 1073741824,
        networkRequests: 100,
        assignedProcessors: {
          [alice]: {
            ...fullDeployment.assignedProcessors[alice],
            p256: `02${'ab'.repeat(32)}`,
          },
        },
        keys: '/jobs/secret/keys.json',
        interfaces: 'loopback',
        policy: fullDeployment.policy,
      },
      warnings: [],
    })
  })

  test('has paths relative to its own folder', () => {
    const { deployment } = parse({ bundle: '.', keys: '/etc/keys.json' }, 'jobs/d.json')
    expect(deployment.file).toBe(resolve('jobs/d.json'))
    expect(deployment.bundle).toBe(resolve('jobs'))
    expect(deployment.keys).toBe('/etc/keys.json')
  })

  test.each([
    [7, '7'],
    [-7, '-7'],
    [1e3, '1000'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['é 1', 'é 1'],
    ['x'.repeat(256), 'x'.repeat(256)],
  ])('takes id %j', (id, expected) => {
    expect(parse({ id }).deployment.id).toBe(expected)
  })

  test.each([
    ['AB', 'ab'],
    ['0xAB', 'ab'],
    ['0Xab', 'ab'],
    ['01'.repeat(64), '01'.repeat(64)],
    [alice, aliceHex],
  ])('takes origin.source %s', (source, expected) => {
    expect(parse({ origin: { source } }).deployment.origin.source).toBe(expected)
  })

  test.each(['signer_sign', 'signer_*', 'rpc.discover', 'rpc.*', 'x2_y3'])(
    'takes the method %s',
    (method) => {
      expect(parse({ policy: { methods: [method] } }).deployment.policy.methods).toEqual([method])
    },
  )

  test('keeps a policy that allows nothing apart from none', () => {
    expect(parse({ policy: { methods: [] } }).deployment.policy).toEqual({ methods: [] })
  })

  test('takes every name in the environment', () => {
    const text = '{"environment": {"__proto__": "a", "constructor": "b", "a b\\n": "c"}}'
    const { environment } = parseDeployment(text, 'd.json').deployment
    expect(Object.entries(environment)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['a b\n', 'c'],
    ])
    expect(Object.getPrototypeOf(environment)).toBeNull()
  })
})

describe('unknown fields', () => {
  const document = {
    scedule: {},
    schedule: { startAt: 1, start_time: 2 },
    assignedProcessors: { [alice]: { P256: 1 } },
    environment: { slto: 'any name is fine here' },
    x: {},
  }

  test('are wrong, at any depth, with the field that was meant or all that there are', () => {
    const unknown = 'found an unknown field, expected a known one'
    const times = 'startTime, endTime, duration, interval, maxStartDelay'
    const lines = deploymentFaults(JSON.stringify(document))
    expect(lines.slice(0, 4)).toEqual([
      `d.json:1:2: scedule: ${unknown} (did you mean "schedule"?)`,
      `d.json:1:27: schedule.startAt: ${unknown} (known are ${times})`,
      `d.json:1:39: schedule.start_time: ${unknown} (did you mean "startTime"?)`,
      `d.json:1:129: assignedProcessors.${alice}.P256: ${unknown} (did you mean "p256"?)`,
    ])
    expect(lines.slice(4)).toEqual([
      expect.stringMatching(/: x: found an unknown field, .* \(known are \$schema, id, origin, /),
    ])
  })

  test('are told beside other faults', () => {
    expect(deploymentFaults('{"memroy": 1, "slot": -1}')).toEqual([
      'd.json:1:2: memroy: found an unknown field, expected a known one (did you mean "memory"?)',
      'd.json:1:23: slot: found -1, expected an integer from 0',
    ])
  })

  test('of a file that was accepted before are warnings', () => {
    const text = JSON.stringify({ ...document, x: undefined })
    expect(parseDeployment(text, 'd.json', { isAccepted: true }).warnings).toEqual([
      'd.json:1:2: unknown field "scedule" is ignored; did you mean "schedule"?',
      'd.json:1:27: unknown field "schedule.startAt" is ignored',
      'd.json:1:39: unknown field "schedule.start_time" is ignored; did you mean "startTime"?',
      `d.json:1:129: unknown field "assignedProcessors.${alice}.P256" is ignored; did you mean "p256"?`,
    ])
  })
})

describe('warnings', () => {
  test('of a variable that the runtime overrides', () => {
    const { deployment, warnings } = parse({ environment: { BRIDGE_SOCKET: 'x' } }, 'd.json')
    expect(warnings).toEqual([
      'd.json:1:17: environment.BRIDGE_SOCKET is ignored, the runtime always sets it',
    ])
    expect(deployment.environment).toEqual({ BRIDGE_SOCKET: 'x' })
  })
})

const id =
  'a string of 1 to 256 characters without control characters and other than "." and "..", or an integer'
const account = 'an even number (2 to 128) of hex digits, or an SS58 address'
const checksum = 'the SS58 checksum does not match: a character is wrong or missing'
const method = 'a method name such as signer_sign, or a family such as signer_*'
const all = 'leave out policy.methods to allow every method'
const unquote = 'write it without quotes'

describe('a wrong field', () => {
  test.each([
    [{ id: '' }, `1:7: id: found "", expected ${id}`],
    [{ id: 'a\u0085' }, String.raw`1:7: id: found "a\u0085", expected ${id}`],
    [{ id: '.' }, `1:7: id: found ".", expected ${id}`],
    [{ id: '..' }, `1:7: id: found "..", expected ${id}`],
    [{ id: 'a\ud800' }, String.raw`1:7: id: found "a\ud800", expected ${id}`],
    [{ id: true }, `1:7: id: found true, expected ${id}`],
    [{ id: 1.5 }, `1:7: id: found 1.5, expected ${id} (write a long or fractional id as a string)`],
    [
      { id: 'x'.repeat(257) },
      `1:7: id: found "${'x'.repeat(50)}"… (257 characters), expected ${id}`,
    ],
    [{ origin: 'me' }, '1:11: origin: found "me", expected an object'],
    [{ origin: { kind: '' } }, '1:19: origin.kind: found "", expected a non-empty string'],
    [
      { origin: { source: 'abc' } },
      `1:21: origin.source: found "abc", expected ${account} (it has 3 hex digits)`,
    ],
    [{ origin: { source: '' } }, `1:21: origin.source: found "", expected ${account}`],
    [
      { origin: { source: alice.replace('w', 'v') } },
      `1:21: origin.source: found "${alice.replace('w', 'v')}", expected ${account} (${checksum})`,
    ],
    [{ ipfsHash: '' }, '1:13: ipfsHash: found "", expected a non-empty string'],
    [{ slot: -1 }, '1:9: slot: found -1, expected an integer from 0'],
    [{ slot: 0.5 }, '1:9: slot: found 0.5, expected an integer from 0'],
    [{ memory: '5' }, `1:11: memory: found "5", expected an integer from 0 (${unquote})`],
    [{ storage: 2 ** 53 }, '1:12: storage: found 9007199254740992, expected an integer from 0'],
    [{ networkRequests: {} }, '1:20: networkRequests: found an object, expected an integer from 0'],
    [{ schedule: [] }, '1:13: schedule: found an array, expected an object'],
    [
      { schedule: { startTime: 5, endTime: 5 } },
      '1:38: schedule.endTime: found 5, expected a time after startTime',
    ],
    [
      { schedule: { interval: '5' } },
      `1:25: schedule.interval: found "5", expected an integer from 0 (milliseconds) (${unquote})`,
    ],
    [{ bundle: '' }, '1:11: bundle: found "", expected the path of a file or folder'],
    [{ bundle: 'a\0' }, String.raw`1:11: bundle: found "a\u0000", expected a path without NUL`],
    [{ interfaces: 'lo' }, '1:15: interfaces: found "lo", expected host or loopback'],
    [
      { interfaces: 'Loop-back' },
      '1:15: interfaces: found "Loop-back", expected host or loopback (did you mean loopback?)',
    ],
    [
      { policy: { methods: 'a_b' } },
      '1:22: policy.methods: found "a_b", expected an array of method names',
    ],
    [
      { policy: { methods: ['a_b', '*'] } },
      `1:29: policy.methods[1]: found "*", expected ${method} (${all})`,
    ],
    [
      { policy: { methods: ['sign'] } },
      `1:23: policy.methods[0]: found "sign", expected ${method}`,
    ],
    [{ policy: { methods: [null] } }, `1:23: policy.methods[0]: found null, expected ${method}`],
    [
      { assignedProcessors: { bob: {} } },
      '1:24: assignedProcessors.bob: found "bob", expected an SS58 address (an SS58 account has 32 bytes, this address holds 0)',
    ],
    [
      { assignedProcessors: { [alice]: 5 } },
      `1:75: assignedProcessors.${alice}: found 5, expected an object`,
    ],
  ])('%.60j', (document, line) => {
    expect(faults(document)).toEqual([`d.json:${line}`])
  })

  test.each([
    ['p256', 'ab'.repeat(32), '33 or 65 bytes in hex'],
    ['secp256k1', 'ab'.repeat(64), '33 or 65 bytes in hex'],
    ['ed25519', 'ab'.repeat(33), '32 bytes in hex'],
    ['encP256', 'xy'.repeat(33), '33 or 65 bytes in hex'],
    ['encSecp256k1', `${'ab'.repeat(33)}\n`, '33 or 65 bytes in hex'],
  ])('assignedProcessors %s', (curve, key, expected) => {
    const place = `d.json:1:${79 + curve.length}: assignedProcessors.${alice}.${curve}`
    const found = `a string of ${key.length} characters`
    expect(faults({ assignedProcessors: { [alice]: { [curve]: key } } })).toEqual([
      `${place}: found ${found}, expected ${expected}`,
    ])
  })

  test('is reported beside all others', () => {
    const document = {
      schedule: { startTime: 5, endTime: 4, interval: -1 },
      slot: 'x',
      policy: { methods: 1 },
      unknown: 1,
    }
    expect(faults(document)).toEqual([
      'd.json:1:38: schedule.endTime: found 4, expected a time after startTime',
      'd.json:1:51: schedule.interval: found -1, expected an integer from 0 (milliseconds)',
      'd.json:1:62: slot: found "x", expected an integer from 0',
      'd.json:1:86: policy.methods: found 1, expected an array of method names',
      expect.stringMatching(/^d\.json:1:89: unknown: found an unknown field, expected a known one/),
    ])
  })
})

describe('a secret', () => {
  const secret = 'hunter2hunter2'
  const hexKey = 'c0ffee11'.repeat(8)

  test.each([
    [
      { environment: { A: `${secret}\0` } },
      'environment.A: found a string of 15 characters, expected a string without NUL',
    ],
    [
      { environment: { A: 12345 } },
      'environment.A: found a number, expected a string (put it in double quotes)',
    ],
    [{ environment: { A: [secret] } }, 'environment.A: found an array, expected a string'],
    [{ environment: { A: null } }, 'environment.A: found null, expected a string'],
    [
      { environment: `A=${secret}` },
      'environment: found a string of 16 characters, expected an object',
    ],
    [{ environment: [secret] }, 'environment: found an array, expected an object'],
    [
      { environment: { [`A=${secret}`]: 'x' } },
      'environment["A=…"]: found "A=…", expected a name without "="',
    ],
    [{ environment: { '': secret } }, 'environment[""]: found "", expected a name without "="'],
    [
      { environment: { 'a\0': 'x' } },
      String.raw`environment["a\u0000"]: found "a\u0000", expected a name without NUL`,
    ],
    [
      { keys: { signing: { p256: hexKey } } },
      'keys: found an object, expected the path of a file that holds the private keys (put them into a file of mode 0600)',
    ],
    [{ keys: `${hexKey}\0` }, 'keys: found a string of 65 characters, expected a path without NUL'],
    [{ origin: hexKey }, 'origin: found a string of 64 characters, expected an object'],
    [
      { assignedProcessors: { [hexKey]: {} } },
      'assignedProcessors[a string of 64 characters]: found a string of 64 characters, expected an SS58 address (an SS58 address has at most 50 characters)',
    ],
  ])('%.40j', (document, line) => {
    const [first = '', ...others] = faults(document)
    expect(others).toEqual([])
    expect(first.replace(/^d\.json:1:\d+: /, '')).toBe(line)
  })
})
