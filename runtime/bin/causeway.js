#!/usr/bin/env node
// Committed, so that npm links it at install; what it starts is built later.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../dist/main.js', import.meta.url)
if (existsSync(fileURLToPath(main))) {
  await (await import(main.href)).main(process.argv.slice(2))
} else {
  process.stderr.write('causeway: not built yet; in the checkout type: npm run setup\n')
  process.exitCode = 125
}
