/** What an operator calls a deployment: its id, or the beginning of its name. @module */
import { StartError } from '../../errors/start-error.ts'

// Ids are decimal, names hex: a typo in an id must not match another deployment's name.
const leastNameDigits = 6

/** Something that has a deployment's name, and its id if that is known. */
export interface Named {
  name: string
  id?: string | undefined
}

/**
 * The one that a reference means; an id comes before a name.
 * @returns undefined when there is none
 * @throws StartError DEPLOYMENT_UNKNOWN when there are several
 */
export function referredTo<T extends Named>(all: readonly T[], reference: string): T | undefined {
  const byId = all.filter(({ id }) => id === reference)
  const isName = reference.length >= leastNameDigits
  const byName = all.filter(({ name }) => isName && name.startsWith(reference))
  const found = byId.length > 0 ? byId : byName
  if (found.length < 2) return found[0]
  const names = found.map(({ name }) => name).join(', ')
  throw unknown(reference, `expected one deployment, found ${found.length}: ${names}`)
}

/** The error for a reference that means no deployment. */
export function unknownDeployment(reference: string): StartError {
  return unknown(
    reference || '""',
    `no deployment has this id, or a name that begins with it (at least ${leastNameDigits} digits)`,
  )
}

function unknown(reference: string, text: string): StartError {
  return new StartError('DEPLOYMENT_UNKNOWN', `${reference}: ${text}`)
}
