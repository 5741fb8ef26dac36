/** `causeway version`: prints which versions run here. @module */
import { implementedLevel } from '../bridge/level.ts'
import { packageVersion } from './package-version.ts'

export function version({ json }: { json?: boolean }): void {
  const facts = {
    causeway: packageVersion(),
    bridge: implementedLevel,
    node: process.versions.node,
  }
  const text = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${text.join('\n')}\n`)
}
