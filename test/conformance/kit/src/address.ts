/**
 * The two ways to write an abstract address: NUL and the name, or the same filled with NUL bytes
 * to the 108 of sun_path. They are different addresses unless the name fills it.
 * @module
 */

/** How long the address is that a client sends. */
export type AddressForm = 'exact' | 'padded'

const longestName = 107

/** The form that this Node sends: up to 21 the padded one, from 22 the exact one. */
export const nodeForm: AddressForm =
  Number.parseInt(process.versions.node, 10) < 22 ? 'padded' : 'exact'

/** The form that this Node cannot send. */
export const otherForm: AddressForm = nodeForm === 'exact' ? 'padded' : 'exact'

/** For people. */
export const formText: Readonly<Record<AddressForm, string>> = {
  exact: 'NUL and the name',
  padded: 'NUL and the name, filled with NUL bytes to 108',
}

/** Whether both forms of the name are one and the same address. */
export function fillsAddress(name: string): boolean {
  return Buffer.byteLength(name) === longestName
}

/** What is wrong with a name, if anything. */
export function nameProblem(name: string): string | undefined {
  const bytes = Buffer.byteLength(name)
  if (name.includes('\0')) return 'it contains a NUL byte; give it without the leading one'
  if (bytes > 0 && bytes <= longestName) return undefined
  return `expected 1 to ${longestName} bytes, found ${bytes}`
}
