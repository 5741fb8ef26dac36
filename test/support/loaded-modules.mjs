/**
 * Given to Node by --import: writes the URL of each module that is loaded to the file LOADED_MODULES.
 */
import { register } from 'node:module'

const hooks = `import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED_MODULES, url + '\\n')
  return next(url, context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
