/**
 * The cost of a signature for a job: a call, and the library's time to sign.
 * @module
 */
import { signingCurves, type SigningCurve } from '@causeway/guest-sdk/protocol'
import { compare, type Comparison } from '../comparison.ts'
import { comparisonRows, errorRow, expectNoErrors, type Line } from '../comparison-rows.ts'
import type { BenchContext, Group } from '../group.ts'
import { createLoad, type Load } from '../machine/load.ts'
import { opensslSpeed } from '../machine/openssl-speed.ts'
import { compile } from '../machine/programs.ts'
import { createSecp256k1Speed } from '../machine/secp256k1-speed.ts'
import type { Measured } from '../row.ts'
import type { Server } from '../servers/server.ts'
import { startSigners, type Signers } from '../servers/signers.ts'

export const signer: Group = {
  name: 'signer',
  summary: 'signer_sign on causeway serve --no-limits, beside a C server and the library together',
  async measure(context) {
    const servers = await startSigners(context)
    const load = await createSpinningLoad(context)
    const speeds: Record<SigningCurve, number[]> = { p256: [], secp256k1: [], ed25519: [] }
    const speedOf = await createSpeeds(context)
    const everyRound = async () => {
      for (const curve of signingCurves) speeds[curve].push(await speedOf[curve]())
    }
    const all = [...servers.floors, ...Object.values(servers.ours), ...servers.signing]
    const options = { ...context, load, servers: all, clients: [1, 16], everyRound }
    const comparison = await compare(options)
    expectNoErrors(comparison, [...servers.floors, ...servers.signing])
    return toMeasured(comparison, servers, speeds)
  },
}

/** Must be pinned: it would take the core from the servers. */
async function createSpinningLoad(context: BenchContext): Promise<Load> {
  const program = await compile('load-client', context)
  const { client: prefix } = context.placement
  return createLoad({ ...context, command: [...prefix, program], spins: prefix.length > 0 })
}

/** The libraries' signatures per second, by curve. */
async function createSpeeds(
  context: BenchContext,
): Promise<Record<SigningCurve, () => Promise<number>>> {
  return {
    p256: () => opensslSpeed('ecdsap256', context),
    secp256k1: await createSecp256k1Speed(context),
    ed25519: () => opensslSpeed('ed25519', context),
  }
}

function toMeasured(
  comparison: Comparison,
  { floors, ours, signing }: Signers,
  speeds: Record<SigningCurve, readonly number[]>,
): Measured[] {
  const rowsOf = (curve: SigningCurve, server: Server) => {
    const rows = comparisonRows(comparison, { server, floors }, linesOf[curve])
    return rows.map((row) => withSignature(row, speeds[curve]))
  }
  return [
    ...signingCurves.flatMap((curve) => named(curve, rowsOf(curve, ours[curve]))),
    ...named('secp256k1, beside C that signs', besideSigning(comparison, ours, signing)),
    ...signingCurves.map((curve) => speedRow(curve, speeds[curve])),
    ...signingCurves.map((curve) => named(curve, [errorRow(comparison, ours[curve])])).flat(),
  ]
}

/** The floor is the call and the signature, one after the other. */
export function withSignature(row: Measured, signsPerSecond: readonly number[]): Measured {
  const floors = row.floors?.map((floor, round) => {
    const sign = signsPerSecond[round]!
    return row.unit === 'calls/s' ? 1 / (1 / floor + 1 / sign) : floor + 1e6 / sign
  })
  return { ...row, ...(floors && { floors }) }
}

/** A real server, not a sum of two measurements: it shows whether the sum is a fair floor. */
function besideSigning(
  comparison: Comparison,
  { secp256k1 }: Signers['ours'],
  signing: readonly Server[],
): Measured[] {
  const sides = { server: secp256k1, floors: signing }
  return comparisonRows(comparison, sides, [callsPerSecond, ...others])
}

function speedRow(curve: SigningCurve, values: readonly number[]): Measured {
  const library = curve === 'secp256k1' ? 'libsecp256k1' : 'openssl speed'
  return { name: `${curve}: ${library} alone`, unit: 'signs/s', values }
}

function named(what: string, rows: readonly Measured[]): Measured[] {
  return rows.map((row) => ({ ...row, name: `${what}: ${row.name}` }))
}

const callsPerSecond: Line = {
  name: 'calls/s, 16 clients',
  unit: 'calls/s',
  clients: 16,
  figure: 'callsPerSecond',
}
const others: readonly Line[] = [
  { name: 'CPU per call, 16 clients', unit: 'µs', clients: 16, figure: 'cpuUs' },
  { name: 'p50, 1 client', unit: 'µs', clients: 1, figure: 'p50Us' },
]
const linesOf: Record<SigningCurve, readonly Line[]> = {
  p256: [{ ...callsPerSecond, target: { of: 'ratio', atLeast: 0.75 } }, ...others],
  secp256k1: [{ ...callsPerSecond, target: { of: 'ratio', atLeast: 0.85 } }, ...others],
  ed25519: [callsPerSecond, ...others],
}
