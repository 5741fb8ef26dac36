/** Which addresses jobs may reach, by settings that may change while networks are open. @module */
import { createEgressPolicy, type EgressPolicy } from '@causeway/service/egress'
import type { NetworkSettings } from './settings.ts'

/** The policy of the settings as they are when it is asked. */
export function livePolicy(settings: Pick<NetworkSettings, 'allow'>): EgressPolicy {
  let made = { allow: settings.allow, policy: createEgressPolicy(settings.allow) }
  const current = () => {
    const { allow } = settings
    if (made.allow !== allow) made = { allow, policy: createEgressPolicy(allow) }
    return made.policy
  }
  return {
    get refused() {
      return current().refused
    },
    get opened() {
      return current().opened
    },
    allows: (address) => current().allows(address),
  }
}
