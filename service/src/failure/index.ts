/**
 * What follows when something fails: work is undone, a missing file is no error.
 * @module
 */
export { errorCode, ifThere, noneOn, readOrEmpty } from './missing.ts'
export { closing, orUndo, orUndoNow } from './undo.ts'
