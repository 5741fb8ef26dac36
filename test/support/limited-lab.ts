/**
 * Daemons with low limits in lab networks: in both modes of the network and both backends of the
 * sandbox.
 * @module
 */
import { openLabDaemon, type JobParts, type LabDaemon } from './network-daemon.ts'
import { resolver } from './network-names.ts'
import { compileNetworkProbe } from './network-probe.ts'
import { recipeImage } from './recipe-image.ts'

export const rate = { perSecond: 40, burst: 20 }
/** Tolerances of the measurements; a busy machine is no fault. */
export const tolerated = { perSecond: 1.25 * rate.perSecond, burst: rate.burst + 2 }
export const bytes = { perSecond: 1_000_000, burst: 1_000_000 }
export const ways = (['isolated', 'shared'] as const).flatMap((mode) =>
  (['proot', 'namespaces'] as const).map((backend) => ({ mode, backend })),
)
export type Way = (typeof ways)[number]

const config = ({ mode, backend }: Way) => `[network]
mode = "${mode}"
connectionsPerSecond = ${rate.perSecond}
connectionBurst = ${rate.burst}
dnsPerSecond = ${rate.perSecond}
dnsBurst = ${rate.burst}
bytesPerSecond = ${bytes.perSecond}
byteBurst = ${bytes.burst}
resolvers = ["${resolver}"]
[sandbox]
backend = "${backend}"
`

// A dropped packet must be sent again; a waiting one must not.
export const patience = ({ mode }: Way) => (mode === 'shared' ? '--again=50' : '')

/** Enough time to refill the limit's bucket. */
export const rest = 'rest pause 700'

/** @param folder one that every user may read */
export async function labParts(folder: string): Promise<JobParts> {
  const probe = await compileNetworkProbe(folder)
  return { folder, image: await recipeImage('minimal'), probe }
}

export function openLimitedLab(parts: JobParts, way: Way): Promise<LabDaemon> {
  return openLabDaemon(parts, config(way))
}
