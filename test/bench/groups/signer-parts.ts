/**
 * The cost of the signer without a bridge: CPU time in a Node process of its own.
 * @module
 */
import { fileURLToPath } from 'node:url'
import type { BenchContext, Group } from '../group.ts'
import { opensslSpeed, type OpensslAlgorithm } from '../machine/openssl-speed.ts'
import { createSecp256k1Speed } from '../machine/secp256k1-speed.ts'
import type { Measured, Target } from '../row.ts'
import { operationNames, type OperationName } from '../signer/operations.ts'
import type { OperationTimes } from '../signer/time-operation.ts'

export const signerParts: Group = {
  name: 'signer-parts',
  summary: 'one operation of the signer in a Node of its own, beside what is best at it',
  async measure(context) {
    const { rounds, progress } = context
    const floorOf = await createFloors(context)
    const pairs = new Map<OperationName, Pair[]>(operationNames.map((name) => [name, []]))
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      // Each right after its floor: a busy machine slows both equally.
      for (const [name, measured] of pairs)
        measured.push(await measurePair(name, floorOf[name], context))
    }
    const all = [...pairs]
    const portable = all.map(([name, measured]) => portableRow(name, measured))
    return [...all.map(([name, measured]) => nativeRow(name, measured)), ...portable]
  },
}

/** µs of CPU time per operation. */
interface Pair {
  times: OperationTimes
  floor: number
}

/** Undefined where the operation measures its floor itself. */
type Floor = (() => Promise<number>) | undefined

async function createFloors(context: BenchContext): Promise<Record<OperationName, Floor>> {
  const secp256k1Speed = await createSecp256k1Speed(context)
  const openssl = (algorithm: OpensslAlgorithm) => async () =>
    1e6 / (await opensslSpeed(algorithm, context))
  return {
    'p256 sign': openssl('ecdsap256'),
    'secp256k1 sign': async () => 1e6 / (await secp256k1Speed()),
    'ed25519 sign': openssl('ed25519'),
    'p256 encrypt nothing, peer of 33 bytes': openssl('ecdhp256'),
    'p256 encrypt nothing, peer of 65 bytes': openssl('ecdhp256'),
    'BIP-32, five levels': undefined,
  }
}

async function measurePair(
  name: OperationName,
  measureFloor: Floor,
  context: BenchContext,
): Promise<Pair> {
  const floor = await measureFloor?.()
  const times = await timeOperation(name, context)
  return { times, floor: floor ?? times.scure ?? NaN }
}

const program = fileURLToPath(new URL('../signer/time-operation.ts', import.meta.url))
const node = [process.execPath, '--conditions=@causeway/source', '--import', 'tsx', program]
const timeoutMs = 120_000

async function timeOperation(
  name: OperationName,
  { processes, placement }: BenchContext,
): Promise<OperationTimes> {
  const line = await processes.run([...placement.server, ...node, name], timeoutMs)
  return JSON.parse(line) as OperationTimes
}

function nativeRow(name: OperationName, measured: readonly Pair[]): Measured {
  const target = targets[name]
  return { ...row(name, measured, 'native'), ...(target && { target }) }
}

function portableRow(name: OperationName, measured: readonly Pair[]): Measured {
  return row(`portable: ${name}`, measured, 'portable')
}

function row(name: string, measured: readonly Pair[], backend: 'native' | 'portable'): Measured {
  return {
    name,
    unit: 'µs',
    values: measured.map(({ times }) => times[backend]),
    floors: measured.map(({ floor }) => floor),
  }
}

// Encrypting nothing is the agreement plus HKDF and GCM; its floor is the agreement alone.
const targets: Partial<Record<OperationName, Target>> = {
  'p256 sign': { of: 'ratio', atMost: 1.6 },
  'p256 encrypt nothing, peer of 33 bytes': { of: 'ratio', atMost: 1.5 },
  'p256 encrypt nothing, peer of 65 bytes': { of: 'ratio', atMost: 1.5 },
  'BIP-32, five levels': { of: 'ratio', atMost: 1 / 15 },
}
