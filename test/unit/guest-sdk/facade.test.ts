import { connect, methodFacts, type Bridge, type MethodName } from '@causeway/guest-sdk'
import { describe, expect } from 'vitest'
import { replyWith, test } from '../../support/recording-bridge.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const digest = new Uint8Array(32).fill(0xab)
const digestHex = 'ab'.repeat(32)
const peer = { publicKey: bytes(2, 0xff), salt: bytes(), bytes: bytes(0, 1) }

interface Row {
  call: (bridge: Bridge) => Promise<unknown>
  /** What must be on the wire. */
  params: unknown[]
  /** What the host answers, and what the caller gets for it. */
  result: object
  gives: unknown
}

const processors = { '5Grw': { p256: '02ab', encSecp256k1: '03cd' } }
const id = { id: '3510', origin: { kind: 'Substrate', source: '11'.repeat(32) } }

const openRpc = {
  openrpc: '1.3.2',
  info: { title: 'x', version: '1.27.0' },
  methods: [],
  'x-errors': {},
}

/** A row for every method: leaving one out does not compile. */
const rows: { readonly [M in MethodName]: Row } = {
  processor_version: {
    call: (bridge) => bridge.processor.version(),
    params: [],
    result: { version: '1.27.0' },
    gives: '1.27.0',
  },
  deployment_id: { call: (bridge) => bridge.deployment.id(), params: [], result: id, gives: id },
  deployment_ipfsHash: {
    call: (bridge) => bridge.deployment.ipfsHash(),
    params: [],
    result: { ipfsHash: 'bafk' },
    gives: 'bafk',
  },
  deployment_slot: {
    call: (bridge) => bridge.deployment.slot(),
    params: [],
    result: { slot: null },
    gives: null,
  },
  deployment_publicKeys: {
    call: (bridge) => bridge.deployment.publicKeys(),
    params: [],
    result: { publicKeys: { p256: '02ab', ed25519: '00' } },
    gives: { p256: bytes(2, 0xab), ed25519: bytes(0) },
  },
  deployment_encryptionKeys: {
    call: (bridge) => bridge.deployment.encryptionKeys(),
    params: [],
    result: { encryptionKeys: { secp256k1: '03FF' } },
    gives: { secp256k1: bytes(3, 0xff) },
  },
  deployment_assignedProcessors: {
    call: (bridge) => bridge.deployment.assignedProcessors(),
    params: [],
    result: { processors },
    gives: processors,
  },
  signer_publicKey: {
    call: (bridge) => bridge.signer.publicKey({ curve: 'secp256k1', derivationPath: 'm/0/1' }),
    params: [{ curve: 'secp256k1', derivationPath: 'm/0/1' }],
    result: { publicKey: '02ab', derivationPath: 'm/0/1' },
    gives: bytes(2, 0xab),
  },
  signer_sign: {
    call: (bridge) => bridge.signer.sign({ curve: 'p256', bytes: digest }),
    params: [{ curve: 'p256', bytes: digestHex }],
    result: { bytes: 'cd'.repeat(64) },
    gives: new Uint8Array(64).fill(0xcd),
  },
  signer_encrypt: {
    call: (bridge) => bridge.signer.encrypt({ curve: 'p256', ...peer }),
    params: [{ curve: 'p256', publicKey: '02ff', salt: '', bytes: '0001' }],
    result: { bytes: 'ee' },
    gives: bytes(0xee),
  },
  signer_decrypt: {
    call: (bridge) => bridge.signer.decrypt({ curve: 'secp256k1', ...peer }),
    params: [{ curve: 'secp256k1', publicKey: '02ff', salt: '', bytes: '0001' }],
    result: { bytes: '' },
    gives: bytes(),
  },
  network_whitelist: {
    call: (bridge) => bridge.network.whitelist('example.com'),
    params: [{ host: 'example.com' }],
    result: {},
    gives: undefined,
  },
  'rpc.discover': {
    call: (bridge) => bridge.discover(),
    params: [],
    result: openRpc,
    gives: openRpc,
  },
}

describe('every method of the facade', () => {
  test.for(Object.entries(rows))(
    '%s',
    async ([method, { call, params, result, gives }], { host }) => {
      const { name, requests } = await host(replyWith({ result }))
      expect(await call(connect({ socket: name }))).toStrictEqual(gives)
      expect(requests).toStrictEqual([{ jsonrpc: '2.0', method, params, id: '1' }])
    },
  )

  test('has facts', () => {
    expect(Object.keys(rows).sort()).toEqual(Object.keys(methodFacts).sort())
  })

  // These results are passed on as they are, or have none.
  const whole = ['deployment_id', 'network_whitelist', 'rpc.discover']
  const picking = Object.entries(rows).filter(([method]) => !whole.includes(method))
  test.for(picking)('%s refuses a result without its fields', async ([, { call }], { host }) => {
    const { name } = await host(replyWith({ result: {} }))
    await expect(call(connect({ socket: name }))).rejects.toMatchObject({
      name: 'BridgeProtocolError',
    })
  })
})

describe('call', () => {
  test('sends any method as it is on the wire', async ({ host }) => {
    const { name, requests } = await host(replyWith({ result: { bytes: 'AB' } }))
    const { call } = connect({ socket: name })
    const params = { curve: 'ed25519', bytes: '0xFF' } as const
    expect(await call('signer_sign', [params])).toEqual({ bytes: 'AB' })
    expect(requests).toMatchObject([{ params: [params] }])
  })

  test('numbers its requests with decimal strings', async ({ host }) => {
    const { name, requests } = await host(replyWith({ result: { slot: 1 } }))
    const bridge = connect({ socket: name })
    await Promise.all([
      bridge.deployment.slot(),
      bridge.deployment.slot(),
      bridge.deployment.slot(),
    ])
    expect(requests.map((request) => request.id).sort()).toEqual(['1', '2', '3'])
  })
})

describe('signer.sign', () => {
  test.for([
    { curve: 'p256', length: 0 },
    { curve: 'p256', length: 31 },
    { curve: 'p256', length: 33 },
    { curve: 'secp256k1', length: 64 },
  ] as const)('refuses $length bytes on $curve unsent', async ({ curve, length }, { host }) => {
    const { name, connections } = await host(replyWith({ result: { bytes: '' } }))
    const signing = connect({ socket: name }).signer.sign({ curve, bytes: new Uint8Array(length) })
    const message = `bytes: ${curve} signs a digest of 32 bytes, found ${length}; hash the message first`
    await expect(signing).rejects.toStrictEqual(new RangeError(message))
    expect(connections()).toBe(0)
  })

  test.for([0, 31, 33, 100_000])('ed25519 takes %i bytes', async (length, { host }) => {
    const { name, requests } = await host(replyWith({ result: { bytes: '00' } }))
    const { signer } = connect({ socket: name })
    await signer.sign({ curve: 'ed25519', bytes: new Uint8Array(length) })
    expect(requests).toMatchObject([{ params: [{ bytes: '00'.repeat(length) }] }])
  })

  test('sends only the bytes of a view', async ({ host }) => {
    const { name, requests } = await host(replyWith({ result: { bytes: '00' } }))
    const view = bytes(1, 2, 3, 4).subarray(1, 3)
    await connect({ socket: name }).signer.sign({ curve: 'ed25519', bytes: view })
    expect(requests).toMatchObject([{ params: [{ curve: 'ed25519', bytes: '0203' }] }])
  })

  test.for(['a', 'zz', '0xab', 7, null, ['ab']])(
    'refuses a signature that is no hex: %j',
    async (result, { host }) => {
      const { name } = await host(replyWith({ result: { bytes: result } }))
      const signing = connect({ socket: name }).signer.sign({ curve: 'p256', bytes: digest })
      await expect(signing).rejects.toMatchObject({ name: 'BridgeProtocolError' })
    },
  )
})
