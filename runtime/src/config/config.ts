/**
 * The operator's configuration file (TOML); every setting has a working default.
 * @module
 */
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import * as v from 'valibot'
import { implementedLevel } from '../bridge/gate.ts'
import { bridgeLimits } from './bridge-limits.ts'
import { networkSection } from './network.ts'
import { count, guestFolder, level, maxBytes, maxLimit } from './fields.ts'
import { cpuPinnings } from '../sandbox/proot/cpus.ts'
import { backendSettings } from '../sandbox/layers.ts'
import { leastUidBase, mostUidBase } from '../sandbox/ids/uid-range.ts'
import { signerSettings } from '../signer/choose-backend.ts'

const configSchema = v.strictObject({
  processor: v.optional(
    v.strictObject({
      /** SS58 prefix of the processor's address. */
      ss58Prefix: count(0, 16383, 42),
      /** `origin.kind` of deployments that name none. */
      originKind: v.optional(v.pipe(v.string(), v.nonEmpty()), 'Substrate'),
    }),
    {},
  ),
  bridge: v.optional(
    v.strictObject({
      /** Bridge level answered by `processor_version`; methods above it are not served. */
      level: v.optional(level, implementedLevel),
      limits: v.optional(bridgeLimits, {}),
    }),
    {},
  ),
  signer: v.optional(
    v.strictObject({
      /** `auto`: native where it works, else portable, with a warning. */
      backend: v.optional(
        v.picklist(signerSettings, `expected one of ${signerSettings.join(', ')}`),
        'auto',
      ),
    }),
    {},
  ),
  audit: v.optional(
    v.strictObject({
      /** Size at which a deployment's audit log goes on in a new file, bytes. */
      maxSegmentBytes: count(64 * 1024, maxBytes, 64 * 1024 * 1024),
      /** Full files kept beside the one being written; the oldest goes. */
      maxSegments: count(1, 10_000, 16),
    }),
    {},
  ),
  network: v.optional(networkSection, {}),
  images: v.optional(
    v.strictObject({
      /** Allow `file:` and loopback `http:` image URLs, and https to private addresses. */
      allowLocal: v.optional(v.boolean(), false),
      /** What images may take on the disk, bytes; those out of use longest go when a new one comes. */
      maxCacheBytes: count(0, Number.MAX_SAFE_INTEGER, 20 * 1024 ** 3),
    }),
    {},
  ),
  logs: v.optional(
    v.strictObject({
      /** Size at which a deployment's log goes on in a new file, bytes. */
      maxBytes: count(1024 * 1024, maxBytes, 10 * 1024 * 1024),
      /** Files kept, the one being written among them; the oldest goes. */
      maxFiles: count(1, 1000, 5),
    }),
    {},
  ),
  sandbox: v.optional(
    v.strictObject({
      /** Where the bundle lands in the guest; also the job's working directory. */
      bundlePath: v.optional(guestFolder, '/root/job'),
      /** The PRoot program: a name on PATH or a path. */
      proot: v.optional(v.pipe(v.string(), v.nonEmpty()), 'proot'),
      /** `auto`: namespaces for root where there are any, else PRoot. */
      backend: v.optional(
        v.picklist(backendSettings, `expected one of ${backendSettings.join(', ')}`),
        'proot',
      ),
      /** Run jobs with PRoot alone where a host has neither namespaces nor Landlock. */
      insecure: v.optional(v.boolean('expected true or false'), false),
      /** `auto`: a job under a PRoot that is not accelerated stays on one processor. */
      cpuPinning: v.optional(
        v.picklist(cpuPinnings, `expected one of ${cpuPinnings.join(', ')}`),
        'auto',
      ),
      /** Run images of other architectures through QEMU's user emulation: true, or its folder. */
      qemu: v.optional(
        v.union([v.boolean(), guestFolder], 'expected true, false or a folder'),
        false,
      ),
      /** Memory of a job that asks for none, bytes; 0: three quarters of the host's. */
      memoryBytes: count(0, maxLimit, 0),
      /** What a job that asks for none may write, bytes. */
      storageBytes: count(1024 * 1024, maxLimit, 8 * 1024 * 1024 * 1024),
      /** Processes and threads of a job. */
      maxProcesses: count(16, 4_000_000, 4096),
      /** First host uid for jobs when the daemon is root, above what others use; see sandbox/uid-range. */
      uidBase: count(
        leastUidBase,
        mostUidBase,
        1_900_000_000,
        'ids below are those of users, services and nobody; from it on jobs need many',
      ),
      /** Time between SIGTERM to the job and the end of its whole tree, ms. */
      stopGraceMs: count(0, 600_000, 5_000),
    }),
    {},
  ),
})

export type Config = v.InferOutput<typeof configSchema>

/** The defaults, or the file's settings over them. @throws Error naming file, setting and what was expected. */
export function loadConfig(file: string | undefined): Config {
  if (file === undefined) return v.parse(configSchema, {})
  const result = v.safeParse(configSchema, parseToml(file))
  if (result.success) return result.output
  throw new Error(result.issues.map((issue) => `${file}: ${describe(issue)}`).join('\n'))
}

function parseToml(file: string): unknown {
  const text = readFileSync(file, 'utf8')
  try {
    return parse(text)
  } catch (cause) {
    throw new Error(`${file}: ${(cause as Error).message}`, { cause })
  }
}

function describe(issue: v.BaseIssue<unknown>): string {
  const setting = v.getDotPath(issue) ?? 'the file'
  return issue.expected === 'never'
    ? `${setting}: there is no such setting`
    : `${setting}: ${issue.message}, found ${shown(issue)}`
}

function shown(issue: v.BaseIssue<unknown>): string {
  const found = issue.path ? issue.path.at(-1)?.value : issue.input
  return typeof found === 'number' ? String(found) : (JSON.stringify(found) ?? 'nothing')
}
