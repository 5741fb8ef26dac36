/** Takes over what an operator changed in the configuration file of a daemon that runs. @module */
import type { Config } from './config.ts'

/**
 * Settings that are read again for each execution, deployment or question. What is not here was used
 * to make something that lasts as long as the daemon, or would give deployments other keys.
 */
const changeable: Readonly<Record<string, readonly string[] | 'all'>> = {
  log: 'all',
  bridge: 'all',
  audit: 'all',
  images: 'all',
  logs: 'all',
  network: [
    'connectionsPerSecond',
    'connectionBurst',
    'bytesPerSecond',
    'byteBurst',
    'dnsPerSecond',
    'dnsBurst',
    'allow',
    'resolvers',
  ],
  sandbox: ['memoryBytes', 'storageBytes', 'maxProcesses', 'stopGraceMs'],
}

/** Names of the settings that differ, as `network.allow`. */
export interface TakenOver {
  taken: readonly string[]
  /** These need a restart of the daemon. */
  left: readonly string[]
}

type Sections = Record<string, Record<string, unknown>>

/** Changes `config`, which all of the daemon shares, to `next` as far as that is possible now. */
export function takeOver(config: Config, next: Config): TakenOver {
  const [current, wanted] = [config as Sections, next as Sections]
  const [taken, left]: [string[], string[]] = [[], []]
  for (const [section, settings] of Object.entries(wanted)) {
    for (const [name, value] of Object.entries(settings)) {
      if (JSON.stringify(current[section]?.[name]) === JSON.stringify(value)) continue
      const isTaken = isChangeable(section, name)
      // As a whole: who has begun with the value before keeps all of it.
      if (isTaken) Object.assign(current[section] ?? {}, { [name]: value })
      const list = isTaken ? taken : left
      list.push(`${section}.${name}`)
    }
  }
  return { taken, left }
}

function isChangeable(section: string, name: string): boolean {
  const names = changeable[section] ?? []
  return names === 'all' || names.includes(name)
}
