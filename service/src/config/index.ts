/** Configuration files of a service: schemas for their fields, and how a file is read. @module */
export { ConfigError } from './config-error.ts'
export { choice, count, maxBytes, maxCount, maxLimit, maxMs } from './fields.ts'
export { readSettings, type Suggest } from './read-settings.ts'
