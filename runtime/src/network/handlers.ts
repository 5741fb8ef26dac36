/** The handlers of `network_*`, by which a job whitelists hosts. @module */
import type { NetworkMethods } from '@causeway/guest-sdk/protocol'
import type { Handlers } from '../bridge/methods.ts'
import type { Admissions } from './admissions.ts'

export function networkHandlers({
  whitelist,
}: Pick<Admissions, 'whitelist'>): Handlers<keyof NetworkMethods> {
  return {
    async network_whitelist(_context, { host }) {
      await whitelist(host)
      return {}
    },
  }
}
