/** Loads the addons that `npm run build:native` makes. @module */
import { createRequire } from 'node:module'
import { builtFile } from './paths.ts'

/**
 * Returns the exports of an addon.
 *
 * @throws Error with code `ERR_NATIVE_NOT_BUILT` when it is missing or does not load.
 */
export function loadAddon<Exports>(name: string): Exports {
  try {
    return createRequire(import.meta.url)(builtFile(name)) as Exports
  } catch (cause) {
    const message = `the native addon ${name} is missing or does not load: run \`npm run build:native\``
    throw Object.assign(new Error(message, { cause }), { code: 'ERR_NATIVE_NOT_BUILT' })
  }
}
