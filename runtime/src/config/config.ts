/**
 * Composes the operator's configuration file (TOML) from the rooms' settings, all with defaults.
 * @module
 */
import * as v from 'valibot'
import { suggest } from '@causeway/manifest'
import { choice, count, maxBytes, readSettings } from '@causeway/service/config'
import { logLevels } from '@causeway/service/log'
import { bridgeSettings } from '../bridge/settings.ts'
import { networkSettings } from '../job-network/settings.ts'
import { sandboxSettings } from '../sandbox/settings.ts'
import { signerSettings } from '../signer/settings.ts'

const configSchema = v.strictObject({
  log: v.optional(
    v.strictObject({
      /** What the host's own log has; `--log-level` comes first. */
      level: choice(logLevels, 'warn'),
    }),
    {},
  ),
  processor: v.optional(
    v.strictObject({
      /** SS58 prefix of the processor's address. */
      ss58Prefix: count(0, 16383, 42),
      /** `origin.kind` of deployments that name none. */
      originKind: v.optional(v.pipe(v.string(), v.nonEmpty()), 'Substrate'),
    }),
    {},
  ),
  bridge: v.optional(bridgeSettings, {}),
  signer: v.optional(signerSettings, {}),
  audit: v.optional(
    v.strictObject({
      /** Size at which a deployment's audit log continues in a new file, bytes. */
      maxSegmentBytes: count(64 * 1024, maxBytes, 64 * 1024 * 1024),
      /** Full files kept beside the one being written; the oldest is deleted. */
      maxSegments: count(1, 10_000, 16),
    }),
    {},
  ),
  network: v.optional(networkSettings, {}),
  images: v.optional(
    v.strictObject({
      /** Allow `file:` and loopback `http:` image URLs, and https to private addresses. */
      allowLocal: v.optional(v.boolean(), false),
      /** Disk space for images, bytes; a new image replaces those that were unused longest. */
      maxCacheBytes: count(0, Number.MAX_SAFE_INTEGER, 20 * 1024 ** 3),
    }),
    {},
  ),
  logs: v.optional(
    v.strictObject({
      /** Size at which a deployment's log continues in a new file, bytes. */
      maxBytes: count(1024 * 1024, maxBytes, 10 * 1024 * 1024),
      /** Files kept, the one being written included; the oldest is deleted. */
      maxFiles: count(1, 1000, 5),
    }),
    {},
  ),
  sandbox: v.optional(sandboxSettings, {}),
})

export type Config = v.InferOutput<typeof configSchema>

/** The file's settings over the defaults. @throws ConfigError naming file, setting and expectation */
export function loadConfig(file: string | undefined): Config {
  return readSettings(configSchema, file, suggest)
}
