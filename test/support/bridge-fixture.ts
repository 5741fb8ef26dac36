/**
 * A bridge on a real abstract socket in this process, with the daemon's own handlers.
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { Membership } from '@causeway/native'
import { test as base } from 'vitest'
import { createDispatch } from '../../runtime/src/bridge/dispatch.ts'
import { createGate } from '../../runtime/src/bridge/gate.ts'
import { implementedLevel } from '../../runtime/src/bridge/level.ts'
import { defaultLimits, type BridgeLimits } from '../../runtime/src/bridge/limits/limits.ts'
import { startListener } from '../../runtime/src/bridge/listener.ts'
import type { Handlers } from '../../runtime/src/bridge/methods.ts'
import { realHandlers } from './real-handlers.ts'
import { recordingLog } from './recording-log.ts'

export interface BridgeFixtureOptions {
  name?: string
  handlers?: Partial<Handlers>
  limits?: Partial<BridgeLimits>
  /** Whose processes may call; default those of this user, null nobody's. */
  membership?: Membership | null
}

export interface BridgeFixture {
  name: string
  /** Lines of the host's log. */
  lines: Record<string, unknown>[]
  admit: (membership: Membership) => void
  stop: () => void
}

export function uniqueName(): string {
  return `causeway-test-${randomUUID()}`
}

export function startBridge(options: BridgeFixtureOptions = {}): BridgeFixture {
  const { log, lines } = recordingLog()
  const name = options.name ?? uniqueName()
  const limits = { ...defaultLimits, ...options.limits }
  const listener = startListener({
    name,
    commit: () => {},
    answer: createDispatch({
      handlers: { ...realHandlers(), ...options.handlers },
      gate: createGate({ level: implementedLevel }),
      limits,
      log,
    }),
    limits,
    log,
  })
  const { membership = ownUser() } = options
  if (membership) listener.admit(membership)
  return { name, lines, ...listener }
}

function ownUser(): Membership {
  return { by: 'uid', uid: process.getuid?.() ?? 0 }
}

/** `test` with bridges that are stopped afterwards. */
export const test = base.extend<{
  open: (options?: BridgeFixtureOptions) => BridgeFixture
}>({
  open: async ({}, use) => {
    const bridges: BridgeFixture[] = []
    await use((options) => {
      const bridge = startBridge(options)
      bridges.push(bridge)
      return bridge
    })
    for (const bridge of bridges) bridge.stop()
  },
})
