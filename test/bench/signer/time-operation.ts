/**
 * Prints the time of an operation as a line of JSON; it is a process of its own, so that it can be
 * pinned to a core. Argument: the operation's name.
 * @module
 */
import { nativeBackend } from '../../../runtime/src/signer/native-backend.ts'
import { portableBackend } from '../../../runtime/src/signer/portable/backend.ts'
import { cpuTimeUs } from './cpu-time.ts'
import { deriveByScure, operationNames, operationsOf } from './operations.ts'

/** µs of CPU time per operation. */
export interface OperationTimes {
  native: number
  portable: number
  /** For the derivation only. */
  scure?: number
}

const name = operationNames.find((known) => known === process.argv[2])
if (!name) throw new Error(`expected one of ${operationNames.join('; ')}`)
// Native first: its floor has just been measured.
const times: OperationTimes = {
  native: cpuTimeUs(operationsOf(nativeBackend())[name]),
  ...(name === 'BIP-32, five levels' && { scure: cpuTimeUs(deriveByScure) }),
  portable: cpuTimeUs(operationsOf(portableBackend)[name]),
}
process.stdout.write(`${JSON.stringify(times)}\n`)
