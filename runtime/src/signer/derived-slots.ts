/**
 * Caches derived HD keys: each path is derived once, and a new path replaces the least recently
 * used one when all slots are taken.
 * @module
 */
import { maxDerived, slots, type SecretKeys } from './backend.ts'

export interface DerivedSlots {
  /** @param indexes child indexes of the path; called only when its key is not cached */
  readonly slotOf: (path: string, indexes: () => readonly number[]) => number
}

export function createDerivedSlots(keys: Pick<SecretKeys, 'derive'>): DerivedSlots {
  const held = new Map<string, number>()
  return {
    slotOf(path, indexes) {
      const slot = held.get(path) ?? deriveNew(keys, held, indexes())
      // Inserted again: a Map keeps insertion order, so its first entry is the least recently used.
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
  const replaced = held.size < maxDerived ? undefined : oldest
  const slot = replaced?.[1] ?? slots.firstDerived + held.size
  keys.derive(slot, indexes)
  if (replaced) held.delete(replaced[0])
  return slot
}
