/**
 * A bridge on a real abstract socket in this process, with the daemon's own handlers.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { test as base } from 'vitest'
import { admitUid, type Admit } from '../../runtime/src/bridge/admission.ts'
import { createDispatch } from '../../runtime/src/bridge/dispatch.ts'
import { createGate, implementedLevel } from '../../runtime/src/bridge/gate.ts'
import { defaultLimits, type BridgeLimits } from '../../runtime/src/bridge/limits.ts'
import { startListener } from '../../runtime/src/bridge/listener.ts'
import type { Handlers } from '../../runtime/src/bridge/methods.ts'
import { realHandlers } from './real-handlers.ts'
import { recordingLog } from './recording-log.ts'

export interface BridgeFixtureOptions {
  name?: string
  handlers?: Partial<Handlers>
  limits?: Partial<BridgeLimits>
  admit?: Admit
}

export interface BridgeFixture {
  name: string
  /** Lines of the host's log. */
  lines: Record<string, unknown>[]
  stop(): Promise<void>
}

export function uniqueName(): string {
  return `causeway-test-${randomUUID()}`
}

export async function startBridge(options: BridgeFixtureOptions = {}): Promise<BridgeFixture> {
  const { log, lines } = recordingLog()
  const name = options.name ?? uniqueName()
  const listener = await startListener({
    name,
    admit: options.admit ?? admitUid(process.getuid?.() ?? 0),
    answer: createDispatch({
      handlers: { ...realHandlers(), ...options.handlers },
      gate: createGate({ level: implementedLevel }),
      log,
    }),
    limits: { ...defaultLimits, ...options.limits },
    log,
  })
  return { name, lines, stop: () => listener.stop() }
}

/** `test` with bridges that are stopped afterwards. */
export const test = base.extend<{
  open: (options?: BridgeFixtureOptions) => Promise<BridgeFixture>
}>({
  open: async ({}, use) => {
    const bridges: BridgeFixture[] = []
    await use(async (options) => {
      const bridge = await startBridge(options)
      bridges.push(bridge)
      return bridge
    })
    await Promise.all(bridges.map((bridge) => bridge.stop()))
  },
})
