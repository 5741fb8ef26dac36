/**
 * Another addon that is given handles, and uses them in a thread of its own.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { buildAddon } from './built-addon.ts'

/** In the order of `kinds` in handle-consumer.cc. */
export const handleKinds = { network: 0, signer: 1, egress: 2 } as const

/** Answers are negative errnos where a call failed. */
export interface HandleConsumer {
  /** Number of the handle, which it holds from now on; -1: it is none of that kind. */
  hold(kind: number, value: unknown): number
  letGo(held: number): void
  /** A descriptor; 1000: the thread stayed in the namespace. */
  connect(held: number, address: string, port: number): number
  /** A descriptor. */
  listen(held: number, address: string, port: number): number
  publicKey(held: number): Buffer | number
  sign(held: number, purpose: number, digest: Uint8Array): Buffer | number
  /** Signs handshakes until it fails. */
  beginSigning(held: number): void
  /** How it failed. */
  awaitSigning(): number
  take(held: number, address: string): number
}

export const buildConsumer = () =>
  buildAddon<HandleConsumer>(
    [fileURLToPath(new URL('handle-consumer.cc', import.meta.url))],
    'handles',
  )
