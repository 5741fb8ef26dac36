/** Handlers of `processor_*`: facts about the host. @module */
import type { ProcessorMethods } from '@causeway/guest-sdk/protocol'
import type { Handlers } from '../bridge/methods.ts'

/** @param level bridge level that the host implements; never the package's version */
export function processorHandlers(level: string): Handlers<keyof ProcessorMethods> {
  return { processor_version: () => ({ version: level }) }
}
