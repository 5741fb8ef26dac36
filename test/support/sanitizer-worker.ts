/**
 * An engine in a thread that will be terminated.
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'
import { limitSets, startEngine, type NativeFace } from './sanitizer-engines.ts'

const { native, name } = workerData as { native: string; name: string }
const face = (await import(native)) as NativeFace
startEngine(face, limitSets[0]!, name)
parentPort?.postMessage('listening')
