import { methodFacts, type MethodName, type OpenRpcDocument } from '@causeway/guest-sdk/protocol'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { discoverHandlers } from '../../../../runtime/src/bridge/openrpc/discover.ts'
import type { GateOptions } from '../../../../runtime/src/bridge/gate.ts'
import { implementedLevel } from '../../../../runtime/src/bridge/level.ts'
import { methodTable, type CallContext } from '../../../../runtime/src/bridge/methods.ts'
import { dispatchFixture, request } from '../../../support/dispatch-fixture.ts'
import { fieldRows } from '../../../generate/field-rows.ts'

const names = Object.keys(methodFacts) as MethodName[]

/** The answer of a bridge with these gate options. */
async function discover(gate: Partial<GateOptions> = {}): Promise<OpenRpcDocument> {
  const handlers = discoverHandlers({ level: implementedLevel, ...gate })
  const reply = await dispatchFixture({ handlers, gate }).ask(request('rpc.discover'))
  return (reply as { result: OpenRpcDocument }).result
}

describe('the document', () => {
  it('matches its own schema', async () => {
    expect(v.is(methodTable['rpc.discover'].result, await discover())).toBe(true)
  })

  it('names every method of the table once, in its order', async () => {
    const { methods, info, openrpc } = await discover()
    expect(methods.map(({ name }) => name)).toEqual(names)
    expect({ openrpc, info }).toEqual({
      openrpc: '1.3.2',
      info: { title: 'Causeway bridge', version: '1.27.0' },
    })
  })

  it('has the lowered level as its version', async () => {
    expect((await discover({ level: '1.25.3' })).info.version).toBe('1.25.3')
  })

  it('describes a method completely', async () => {
    const { methods } = await discover()
    expect(methods.find(({ name }) => name === 'signer_decrypt')).toMatchObject({
      summary: methodTable.signer_decrypt.summary,
      paramStructure: 'by-position',
      params: [
        {
          name: 'params',
          required: true,
          schema: {
            type: 'object',
            required: ['curve', 'publicKey', 'salt', 'bytes'],
            properties: {
              curve: { enum: ['p256', 'secp256k1'] },
              salt: { type: 'string', title: 'hex', pattern: '^(?:0[xX])?(?:[0-9a-fA-F]{2})*$' },
            },
          },
        },
      ],
      result: { name: 'result', schema: { type: 'object', required: ['bytes'] } },
      errors: [
        {
          code: -32602,
          data: { kinds: ['INVALID_PARAMS', 'UNSUPPORTED_CURVE', 'BAD_PUBLIC_KEY'] },
        },
        { code: -32603, data: { kinds: ['DECRYPT_FAILED'] } },
      ],
      'x-since': '1.25.0',
      'x-platform': 'any',
      'x-class': 'key',
      'x-availability': { available: true },
    })
  })

  it('lists each error code of a method once, as OpenRPC requires', async () => {
    for (const { errors } of (await discover()).methods) {
      const codes = errors.map(({ code }) => code)
      expect(codes).toEqual([...new Set(codes)])
      expect(codes).not.toContain(undefined)
    }
  })

  it('names only error kinds that it explains', async () => {
    const { methods, 'x-errors': kinds } = await discover()
    const named = methods.flatMap(({ errors }) => errors.flatMap(({ data }) => data.kinds))
    expect(named.filter((kind) => !Object.hasOwn(kinds, kind))).toEqual([])
    expect(kinds['LIMIT_EXCEEDED']).toMatchObject({ code: -32005, retry: 'after' })
  })

  it.each(names)('describes every field of %s', async (name) => {
    const method = (await discover()).methods.find((one) => one.name === name)
    const schemas = [...(method?.params ?? []), method?.result].map((one) => one?.schema ?? {})
    const rows = schemas.flatMap(fieldRows)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ meaning }) => !meaning.endsWith('.'))).toEqual([])
  })

  it('is created once, not at every call', () => {
    const handlers = discoverHandlers({ level: implementedLevel })
    const context = { peer: { pid: 1, uid: 1, gid: 1 } } as CallContext
    expect(handlers['rpc.discover'](context)).toBe(handlers['rpc.discover'](context))
  })
})

describe('availability', () => {
  const others = names.filter((name) => name !== 'rpc.discover')

  it('without a policy, every method is available', async () => {
    const { methods } = await discover()
    const said = methods.map((method) => method['x-availability'])
    expect(said).toEqual(names.map(() => ({ available: true })))
  })

  it('under a policy, the granted methods and rpc.discover are available', async () => {
    const { methods } = await discover({ allowedMethods: ['signer_sign'] })
    const open = methods.filter((method) => method['x-availability'].available)
    expect(open.map(({ name }) => name)).toEqual(['signer_sign', 'rpc.discover'])
    expect(methods[0]?.['x-availability']).toEqual({
      available: false,
      reason: 'policy',
      message: 'processor_version is not granted to this deployment',
    })
  })

  it.each([
    { gate: {} },
    { gate: { allowedMethods: [] } },
    { gate: { allowedMethods: ['deployment_*', 'signer_publicKey'] } },
    { gate: { level: '1.25.0', allowedMethods: ['processor_*'] } },
  ])('agrees with what a call returns: $gate', async ({ gate }) => {
    const { methods } = await discover(gate)
    const { ask } = dispatchFixture({ gate })
    for (const name of others) {
      const { error } = (await ask(request(name))) as { error?: { data: { kind: string } } }
      const refused = ['PERMISSION_DENIED', 'METHOD_NOT_FOUND'].includes(error?.data.kind ?? '')
      const said = methods.find((method) => method.name === name)?.['x-availability']
      expect(said?.available).toBe(!refused)
    }
  })

  it('rpc.discover does not exist below its own level', async () => {
    const { ask } = dispatchFixture({ gate: { level: '1.24.0' } })
    expect(await ask(request('rpc.discover'))).toMatchObject({ error: { code: -32601 } })
  })
})
