/**
 * Byte values: hex in and out.
 * @module
 */
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { encryptionCurves, signingCurves } from '../curves.ts'
import { bytesOf, expectLowerCase } from '../hex.ts'
import { expectThat } from '../outcome.ts'
import { codes, isObject } from '../response.ts'
import { sections } from '../sections.ts'

const section = sections.members
// It differs between cases, and has both digits and letters.
const digest = 'a1b2c3d4e5f6'.padEnd(64, '0e')

/** By definition ed25519 is deterministic: equal bytes give equal signatures. */
async function signatureOf(bridge: Bridge, bytes: string): Promise<Buffer> {
  const { bytes: signature } = await resultOfCall(bridge, 'signer_sign', {
    curve: 'ed25519',
    bytes,
  })
  return bytesOf(signature, 'bytes')
}

async function expectSameBytes(bridge: Bridge, written: string): Promise<void> {
  const [plain, other] = [await signatureOf(bridge, digest), await signatureOf(bridge, written)]
  expectThat(plain.equals(other), plain.toString('hex'), other.toString('hex'))
}

async function expectRefused(bridge: Bridge, bytes: unknown): Promise<void> {
  const params = { curve: 'ed25519', bytes }
  await refusalOfCall(bridge, codes.invalidParams, 'signer_sign', params)
}

/** Every hex value that the deployment's own methods return. */
async function deploymentHex(bridge: Bridge): Promise<void> {
  const { origin } = await resultOfCall(bridge, 'deployment_id')
  const { publicKeys } = await resultOfCall(bridge, 'deployment_publicKeys')
  const { encryptionKeys } = await resultOfCall(bridge, 'deployment_encryptionKeys')
  const { processors } = await resultOfCall(bridge, 'deployment_assignedProcessors')
  const entries = [publicKeys, encryptionKeys, ...valuesOf(processors)]
  expectLowerCase([...(isObject(origin) ? [origin['source']] : []), ...entries.flatMap(valuesOf)])
}

function valuesOf(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : []
}

async function signerHex(bridge: Bridge): Promise<void> {
  for (const each of signingCurves) {
    const { publicKey } = await resultOfCall(bridge, 'signer_publicKey', { curve: each })
    const { bytes } = await resultOfCall(bridge, 'signer_sign', { curve: each, bytes: digest })
    expectLowerCase([publicKey, bytes])
  }
}

async function cipherHex(bridge: Bridge): Promise<void> {
  const { encryptionKeys } = await resultOfCall(bridge, 'deployment_encryptionKeys')
  for (const each of encryptionCurves.filter((name) => valueOf(encryptionKeys, name))) {
    const params = { curve: each, publicKey: valueOf(encryptionKeys, each), salt: '0a' }
    const sealed = await resultOfCall(bridge, 'signer_encrypt', { ...params, bytes: digest })
    const opened = await resultOfCall(bridge, 'signer_decrypt', { ...params, ...sealed })
    expectLowerCase([sealed['bytes'], opened['bytes']])
  }
}

function valueOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

/** Checks of byte values. */
export const byteValueChecks: readonly Check[] = [
  {
    id: 'hex.upper-case',
    section,
    title: 'hex may come in upper case',
    profile: 'causeway',
    run: (bridge) => expectSameBytes(bridge, digest.toUpperCase()),
  },
  {
    id: 'hex.prefix',
    section,
    title: 'hex may come with 0x or 0X',
    profile: 'causeway',
    async run(bridge) {
      for (const prefix of ['0x', '0X']) await expectSameBytes(bridge, `${prefix}${digest}`)
    },
  },
  {
    id: 'hex.odd',
    section,
    title: 'an odd number of digits: -32602',
    run: (bridge) => expectRefused(bridge, 'abc'),
  },
  {
    id: 'hex.letters',
    section,
    title: 'a character that is not a hex digit: -32602',
    async run(bridge) {
      for (const bytes of ['zz', '0g', 'ab ', ' ab', 'a\n', '0x0', 'éé'])
        await expectRefused(bridge, bytes)
    },
  },
  {
    id: 'hex.type',
    section,
    title: 'bytes that are not a string, or missing: -32602',
    async run(bridge) {
      for (const bytes of [1, true, [], {}, undefined]) await expectRefused(bridge, bytes)
    },
  },
  {
    id: 'hex.out-deployment',
    section,
    title: 'deployment_* give hex in lower case without 0x',
    profile: 'causeway',
    run: deploymentHex,
  },
  {
    id: 'hex.out-signer',
    section,
    title: 'signer_publicKey and signer_sign give hex in lower case without 0x',
    profile: 'causeway',
    run: signerHex,
  },
  {
    id: 'hex.out-cipher',
    section,
    title: 'signer_encrypt and signer_decrypt give hex in lower case without 0x',
    profile: 'causeway',
    run: cipherHex,
  },
]
