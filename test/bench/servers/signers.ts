/**
 * The bridge as a signer, and the C servers to compare with.
 * @module
 */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import type { BenchContext } from '../group.ts'
import { compile } from '../machine/programs.ts'
import { startCauseway } from './causeway.ts'
import { startFloors } from './floors.ts'
import { startUnasked } from './others.ts'
import type { Server } from './server.ts'
import { firstReply, toSigning, withRequestsOf } from './signing.ts'

/** Servers that sign, and servers that do not. */
export interface Signers {
  /** They give every request the same reply. */
  floors: Server[]
  /** One process; each entry requests signatures of one curve. */
  ours: Record<SigningCurve, Server>
  /** C servers that sign with libsecp256k1. */
  signing: Server[]
}

export async function startSigners(context: BenchContext): Promise<Signers> {
  const { server: prefix } = context.placement
  const key = await writeKey(context.folder)
  const causeway = await startCauseway({
    ...context,
    prefix,
    flags: ['--no-limits'],
    deployment: { keys: key.forDeployment },
  })
  const ours = {
    p256: await toSigning(causeway, 'p256'),
    secp256k1: await toSigning(causeway, 'secp256k1'),
    ed25519: await toSigning(causeway, 'ed25519'),
  }
  const floors = await startFloors(context, 'floor', firstReply(ours.p256))
  return {
    floors: floors.map((floor) => withRequestsOf(ours.p256, floor)),
    ours,
    signing: await startSigning(context, ours.secp256k1, key.raw),
  }
}

/** They have the same key as ours, and must give the same replies. */
async function startSigning(
  context: BenchContext,
  ours: Server,
  keyFile: string,
): Promise<Server[]> {
  const program = await compile('signing-server', context)
  const start = async (ahead: string) => {
    const server = await startUnasked({
      ...context,
      name: `C with libsecp256k1 ${ahead} ahead`,
      command: [...context.placement.server, program],
      extra: [ahead, keyFile],
      reply: firstReply(ours),
    })
    const { request, reply, exchanges = 1 } = ours
    return { ...server, request, reply, exchanges }
  }
  return Promise.all(['1', '8'].map(start))
}

/** Writes one key to two files: as it is, and as a deployment's. */
async function writeKey(folder: string): Promise<{ raw: string; forDeployment: string }> {
  const key = createHash('sha256').update('causeway bench').digest()
  const [raw, forDeployment] = [join(folder, 'key'), join(folder, 'keys.json')]
  const content = { signing: { secp256k1: key.toString('hex') } }
  await writeFile(raw, key, { mode: 0o600 })
  await writeFile(forDeployment, JSON.stringify(content), { mode: 0o600 })
  return { raw, forDeployment }
}
