/** The type of a JSON value with its article, for "expected …, found …"; never its content. */
export function jsonType(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  // JSON.parse reads 1e999 as Infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number out of range'
  return `a ${typeof value}`
}
