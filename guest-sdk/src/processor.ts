import type { Call, CallOptions } from './call.ts'
import { member } from './member.ts'

/** Facts about the host. */
export interface Processor {
  /** The host's bridge level, such as `1.27.0` (`processor_version`). */
  version(options?: CallOptions): Promise<string>
}

export function createProcessor(call: Call): Processor {
  return {
    version: async (options) => member(await call('processor_version', [], options), 'version'),
  }
}
