/**
 * A host with three addresses that all consent.
 * @module
 */
import { ptrRecord, txtRecord } from '../../../service/src/protocol/txt-record.ts'
import type { Zones } from '../../support/name-server.ts'

export const source = new Uint8Array(32).fill(7)
export const host = 'service.example.test'
export const addresses = ['93.184.216.1', '93.184.216.2', '93.184.216.3']

const machine = (at: number) => `machine-${at}.${host}`
const lines = (records: readonly string[]) => `${records.join('\n')}\n`

/** Each address belongs to a machine of its own: nine queries, three round trips. */
export const zones: Zones = {
  'example.test': lines([
    txtRecord(source, host),
    ...addresses.map((address) => `${host}. IN A ${address}`),
    ...addresses.map((_, at) => txtRecord(source, machine(at))),
  ]),
  'in-addr.arpa': lines(addresses.map((address, at) => ptrRecord(address, machine(at)))),
}
