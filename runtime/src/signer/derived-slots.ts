/**
 * Which HD slot holds the key of which path: each path is derived once, the one used longest ago
 * makes room.
 * @module
 */
import { maxDerived, slots, type SecretKeys } from './backend.ts'

/** Gives the slot of a path. */
export interface DerivedSlots {
  /** @param indexes child indexes of the path; asked for only when the path is not there yet */
  readonly slotOf: (path: string, indexes: () => readonly number[]) => number
}

export function createDerivedSlots(keys: Pick<SecretKeys, 'derive'>): DerivedSlots {
  const held = new Map<string, number>()
  return {
    slotOf(path, indexes) {
      const slot = held.get(path) ?? deriveNew(keys, held, indexes())
      // Set anew: a Map keeps insertion order, so the first entry is the one used longest ago.
      held.delete(path)
      held.set(path, slot)
      return slot
    },
  }
}

function deriveNew(
  keys: Pick<SecretKeys, 'derive'>,
  held: Map<string, number>,
  indexes: readonly number[],
): number {
  const [oldest] = held as Iterable<[string, number]>
  if (!oldest || held.size < maxDerived)
    return deriveInto(keys, slots.firstDerived + held.size, indexes)
  const [path, slot] = oldest
  deriveInto(keys, slot, indexes)
  held.delete(path)
  return slot
}

function deriveInto(
  keys: Pick<SecretKeys, 'derive'>,
  slot: number,
  indexes: readonly number[],
): number {
  keys.derive(slot, indexes)
  return slot
}
