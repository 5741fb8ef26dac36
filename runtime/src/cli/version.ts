/**
 * `causeway version`: what runs here.
 * @module
 */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { implementedLevel } from '../bridge/level.ts'

/** Version of the runtime package. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

export function versionCommand(): Command {
  return new Command('version')
    .description('print the version, the bridge level and the Node version')
    .option('--json', 'as JSON')
    .action((flags: { json?: boolean }) => {
      const facts = {
        causeway: packageVersion(),
        bridge: implementedLevel,
        node: process.versions.node,
      }
      const text = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
      process.stdout.write(flags.json ? `${JSON.stringify(facts)}\n` : `${text.join('\n')}\n`)
    })
}
