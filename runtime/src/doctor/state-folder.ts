/** @module */
import { closedAncestor, isRoot } from '../state/state-folders.ts'
import { failure, ok, type Check } from './finding.ts'

/** Whether keys, images and jobs have a place. */
export const stateFolderCheck: Check = {
  name: 'state folder',
  look(host) {
    const { root } = host.openState()
    // Each job has a uid of its own then, which must be able to walk to its root.
    const closed = isRoot() ? closedAncestor(root) : undefined
    return closed === undefined
      ? ok(root)
      : failure(
          `${root}: other users can't enter ${closed}, so no job could be started`,
          'choose another folder with --state',
        )
  },
}
