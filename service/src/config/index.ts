/** Configuration files of a service: schemas for their fields, and how a file is read. @module */
export { choice, count, maxBytes, maxCount, maxLimit, maxMs } from './fields.ts'
export { readSettings } from './read-settings.ts'
