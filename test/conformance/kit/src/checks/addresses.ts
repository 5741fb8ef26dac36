/**
 * Both forms of the abstract address: this Node sends one, another program the other.
 * @module
 */
import { fillsAddress, formText, nodeForm, otherForm, type AddressForm } from '../address.ts'
import type { Bridge, Check } from '../check.ts'
import { CheckFailed, CheckSkipped } from '../outcome.ts'
import { askWithProgram } from '../other-client.ts'
import { versionRequest } from '../request.ts'
import { sections } from '../sections.ts'
import { expectAlive, expectVersion } from './version-answer.ts'

async function reach(bridge: Bridge, form: AddressForm): Promise<void> {
  if (form === nodeForm) return expectAlive(bridge)
  if (fillsAddress(bridge.name)) throw new CheckSkipped('this name has one and the same address')
  const reply = await askWithProgram(bridge, otherForm, `${versionRequest}\n`)
  if (reply === undefined) {
    throw new CheckSkipped(`this Node sends ${formText[nodeForm]}; python3 and socat are missing`)
  }
  if (reply.bytes.length === 0) throw new CheckFailed('a reply', reply.failure)
  expectVersion({ chunks: [reply.bytes], bytes: reply.bytes, end: 'eof' })
}

/** Checks of the address. */
export const addressChecks: readonly Check[] = [
  {
    id: 'address.exact',
    section: sections.address,
    title: 'reached at NUL and the name',
    run: (bridge) => reach(bridge, 'exact'),
  },
  {
    id: 'address.padded',
    section: sections.address,
    title: 'reached at the name padded to 108 bytes, as Node 20 clients send it',
    profile: 'causeway',
    run: (bridge) => reach(bridge, 'padded'),
  },
]
