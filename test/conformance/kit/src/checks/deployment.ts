/**
 * `processor_*` and `deployment_*`: shapes, and consistency between methods.
 * @module
 */
import { resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { encryptionCurves, expectPublicKey, signingCurves, type SigningCurve } from '../curves.ts'
import { bytesOf } from '../hex.ts'
import { CheckFailed, expectThat, shown } from '../outcome.ts'
import { isObject } from '../response.ts'
import { sections } from '../sections.ts'

const section = sections.processor
const ss58 = /^[1-9A-HJ-NP-Za-km-z]{46,49}$/

/** Key fields of an entry of `deployment_assignedProcessors`, and their curves. */
const processorKeys: Readonly<Record<string, SigningCurve>> = {
  p256: 'p256',
  secp256k1: 'secp256k1',
  ed25519: 'ed25519',
  encP256: 'p256',
  encSecp256k1: 'secp256k1',
}

function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (isObject(value)) return value
  throw new CheckFailed(`${field}: an object`, shown(value))
}

function expectText(value: unknown, field: string): void {
  expectThat(typeof value === 'string' && value !== '', `${field}: a string`, value)
}

/** Keys of one map; each must be hex under a known name. */
function keysOf(
  value: unknown,
  field: string,
  known: readonly string[],
): readonly (readonly [name: string, key: Buffer])[] {
  return Object.entries(objectOf(value, field)).map(([name, key]) => {
    expectThat(known.includes(name), `${field}: only ${known.join(', ')}`, name)
    return [name, bytesOf(key, `${field}.${name}`)]
  })
}

async function publicKeys(bridge: Bridge) {
  const { publicKeys: keys } = await resultOfCall(bridge, 'deployment_publicKeys')
  return keysOf(keys, 'publicKeys', signingCurves)
}

async function encryptionKeys(bridge: Bridge) {
  const { encryptionKeys: keys } = await resultOfCall(bridge, 'deployment_encryptionKeys')
  return keysOf(keys, 'encryptionKeys', encryptionCurves)
}

async function processors(bridge: Bridge) {
  const { processors: entries } = await resultOfCall(bridge, 'deployment_assignedProcessors')
  return Object.entries(objectOf(entries, 'processors')).map(
    ([address, keys]) =>
      [address, keysOf(keys, `processors.${address}`, Object.keys(processorKeys))] as const,
  )
}

async function checkSlot(bridge: Bridge): Promise<void> {
  const result = await resultOfCall(bridge, 'deployment_slot')
  const { slot } = result
  expectThat('slot' in result, 'a member slot', result)
  expectThat(slot === null || Number.isInteger(slot), 'slot: null or an integer', slot)
}

async function checkId(bridge: Bridge): Promise<void> {
  const { id, origin } = await resultOfCall(bridge, 'deployment_id')
  const { kind, source } = objectOf(origin, 'origin')
  expectText(id, 'id')
  expectText(kind, 'origin.kind')
  expectThat(bytesOf(source, 'origin.source').length > 0, 'origin.source: hex', source)
}

async function checkLengths(bridge: Bridge): Promise<void> {
  const own = [...(await publicKeys(bridge)), ...(await encryptionKeys(bridge))]
  const assigned = (await processors(bridge)).flatMap(([, keys]) => keys)
  for (const [name, key] of [...own, ...assigned]) expectPublicKey(processorKeys[name]!, key)
}

/** Exactly one entry is this processor's, and equals the results of the other methods. */
async function checkOwnEntry(bridge: Bridge): Promise<void> {
  const own = [
    ...(await publicKeys(bridge)),
    ...(await encryptionKeys(bridge)).map(([curve, key]) => [encryptionName(curve), key] as const),
  ]
  const entries = (await processors(bridge)).map(([, keys]) => new Map(keys))
  const same = entries.filter((keys) => own.every(([name, key]) => keys.get(name)?.equals(key)))
  expectThat(same.length === 1, "one entry with this deployment's keys", `${same.length} entries`)
}

function encryptionName(curve: string): string {
  return curve === 'p256' ? 'encP256' : 'encSecp256k1'
}

async function checkSignerKeys(bridge: Bridge): Promise<void> {
  for (const [curve, key] of await publicKeys(bridge)) {
    const { publicKey } = await resultOfCall(bridge, 'signer_publicKey', { curve })
    const found = bytesOf(publicKey, 'publicKey')
    expectThat(found.equals(key), `${curve}: ${key.toString('hex')}`, publicKey)
  }
}

/** Checks of `processor_*` and `deployment_*`. */
export const deploymentChecks: readonly Check[] = [
  {
    id: 'processor.version',
    section,
    title: 'processor_version answers three numbers with dots',
    profile: 'causeway',
    async run(bridge) {
      const { version } = await resultOfCall(bridge, 'processor_version')
      const isVersion = typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version)
      expectThat(isVersion, 'a version such as 1.27.0', version)
    },
  },
  { id: 'deployment.id', section, title: 'deployment_id has its shape', run: checkId },
  {
    id: 'deployment.ipfs-hash',
    section,
    title: 'deployment_ipfsHash has its shape',
    async run(bridge) {
      expectText((await resultOfCall(bridge, 'deployment_ipfsHash'))['ipfsHash'], 'ipfsHash')
    },
  },
  {
    id: 'deployment.slot',
    section,
    title: 'deployment_slot is null or an integer',
    run: checkSlot,
  },
  {
    id: 'deployment.public-keys',
    section,
    title: 'deployment_publicKeys has hex keys of signing curves only',
    run: async (bridge) => void (await publicKeys(bridge)),
  },
  {
    id: 'deployment.encryption-keys',
    section,
    title: 'deployment_encryptionKeys has hex keys of encryption curves only',
    run: async (bridge) => void (await encryptionKeys(bridge)),
  },
  {
    id: 'deployment.processors',
    section,
    title: 'deployment_assignedProcessors has hex keys by SS58 address',
    async run(bridge) {
      const entries = await processors(bridge)
      for (const [address] of entries) expectThat(ss58.test(address), 'an SS58 address', address)
    },
  },
  {
    id: 'deployment.key-lengths',
    section,
    title: 'every key is a point in its compressed form: 33 bytes, ed25519 32',
    profile: 'causeway',
    run: checkLengths,
  },
  {
    id: 'deployment.own-entry',
    section,
    title: "exactly one assigned processor has this deployment's keys",
    profile: 'causeway',
    run: checkOwnEntry,
  },
  {
    id: 'deployment.signer-keys',
    section,
    title: 'signer_publicKey gives the keys of deployment_publicKeys',
    profile: 'causeway',
    run: checkSignerKeys,
  },
]
