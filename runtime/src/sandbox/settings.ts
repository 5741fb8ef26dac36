/** The section `sandbox` of the configuration file. @module */
import * as v from 'valibot'
import { choice, count, maxLimit } from '@causeway/service/config'
import { leastUidBase, mostUidBase } from './ids/uid-range.ts'

const guestFolder = v.pipe(
  v.string(),
  v.regex(/^(?:\/[^/\0]+)+$/, 'expected an absolute path inside the image'),
  v.check((path) => !path.split('/').includes('..'), 'expected a path without ..'),
)

export const sandboxSettings = v.strictObject({
  /** Guest folder of the bundle; also the job's working directory. */
  bundlePath: v.optional(guestFolder, '/root/job'),
  /** The PRoot program: a name on PATH or a path. */
  proot: v.optional(v.pipe(v.string(), v.nonEmpty()), 'proot'),
  /** `auto`: namespaces for root where they work, else PRoot. */
  backend: choice(['proot', 'namespaces', 'auto'], 'proot'),
  /** Run jobs with PRoot alone where a host has neither namespaces nor Landlock. */
  insecure: v.optional(v.boolean('expected true or false'), false),
  /** `auto`: a job under a PRoot without acceleration is pinned to one CPU. */
  cpuPinning: choice(['auto', 'off'], 'auto'),
  /** Run images of other architectures through QEMU's user emulation: true, or its folder. */
  qemu: v.optional(v.union([v.boolean(), guestFolder], 'expected true, false or a folder'), false),
  /** Memory of a job that asks for none, bytes; 0: three quarters of the host's. */
  memoryBytes: count(0, maxLimit, 0),
  /** Storage of a job that asks for none, bytes. */
  storageBytes: count(1024 * 1024, maxLimit, 8 * 1024 * 1024 * 1024),
  /** Processes and threads of a job. */
  maxProcesses: count(16, 4_000_000, 1024),
  /** Open files of each process of a job; 0: see `filesOf`. */
  maxFiles: count(0, 1_048_576, 0),
  /** First host uid for jobs when the daemon is root, above what others use; see ids/uid-range. */
  uidBase: count(
    leastUidBase,
    mostUidBase,
    1_900_000_000,
    'lower ids belong to users, services and nobody; jobs need many ids above it',
  ),
  /** Time between SIGTERM to the job and the end of its whole tree, ms. */
  stopGraceMs: count(0, 600_000, 5_000),
})
export type SandboxSettings = v.InferOutput<typeof sandboxSettings>
