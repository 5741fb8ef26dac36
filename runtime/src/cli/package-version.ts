/** Version of this program, for the commands. @module */
export { packageVersion } from '../state/package-version.ts'
