import { checkString } from './arguments.ts'
import type { Call, CallOptions } from './call.ts'

/** The job's access to the network. */
export interface Network {
  /**
   * Takes a host's addresses out of the rate limit, once DNS shows that their owners consent
   * (`network_whitelist`). If not, it throws a BridgeError whose `kind` says which record is
   * missing or wrong, and whose `hint` is the record to publish.
   * @param host bare hostname
   */
  whitelist(host: string, options?: CallOptions): Promise<void>
}

export function createNetwork(call: Call): Network {
  return {
    async whitelist(host, options) {
      checkString('host', host)
      await call('network_whitelist', [{ host }], options)
    },
  }
}
