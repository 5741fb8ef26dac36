/** What follows when something fails: work is undone, a missing file is no error. @module */
export { foundInstead } from './found-instead.ts'
export { errorCode, ifThere, noneOn, orNone, readOrEmpty } from './missing.ts'
export { afterwards, closing, orUndo, orUndoNow } from './undo.ts'
