/** What an operator does about state that a newer version of Causeway wrote. @module */

/** The end of such an error's message. */
export const useNewer =
  'start that version or a newer one, or take the copy of the state folder from before the upgrade; nothing was changed'
