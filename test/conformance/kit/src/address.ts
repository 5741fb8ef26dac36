/**
 * The two forms of an abstract address: NUL and the name, or the same padded with NUL bytes to the
 * 108 of sun_path. They are different addresses unless the name has the full length.
 * @module
 */

/** The length of the address that a client sends. */
export type AddressForm = 'exact' | 'padded'

const longestName = 107

/** The form that this Node sends: padded up to version 21, exact from 22. */
export const nodeForm: AddressForm =
  Number.parseInt(process.versions.node, 10) < 22 ? 'padded' : 'exact'

/** The form that this Node cannot send. */
export const otherForm: AddressForm = nodeForm === 'exact' ? 'padded' : 'exact'

/** The form in words. */
export const formText: Readonly<Record<AddressForm, string>> = {
  exact: 'NUL and the name',
  padded: 'NUL and the name, filled with NUL bytes to 108',
}

/** Whether both forms of the name are one and the same address. */
export function fillsAddress(name: string): boolean {
  return Buffer.byteLength(name) === longestName
}

/** The fault of a name; undefined for a valid name. */
export function nameProblem(name: string): string | undefined {
  const bytes = Buffer.byteLength(name)
  if (name.includes('\0')) return 'it contains a NUL byte; give it without the leading one'
  if (bytes > 0 && bytes <= longestName) return undefined
  return `expected 1 to ${longestName} bytes, found ${bytes}`
}
