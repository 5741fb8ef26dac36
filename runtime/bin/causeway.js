#!/usr/bin/env node
// Committed, so that npm links it at install; what it starts is built later.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const dist = (name) => new URL(`../dist/command/${name}`, import.meta.url)
if (existsSync(fileURLToPath(dist('main.js')))) {
  // Before anything else is loaded: until then SIGUSR1 opens Node's debugger.
  await import(dist('harden-first.js').href)
  await (await import(dist('main.js').href)).main(process.argv.slice(2))
} else {
  process.stderr.write('causeway: not built yet; in the checkout type: npm run setup\n')
  process.exitCode = 125
}
