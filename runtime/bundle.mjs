// Bundles the `causeway` command into dist/command: one file for each command that is chosen, instead
// of four hundred modules, which Node needs half a second of CPU time to load.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('.', import.meta.url))
const outdir = join(root, 'dist/command')

rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: join(root, '..'),
  entryPoints: ['harden-first', 'main'].map((name) => join(root, `src/${name}.ts`)),
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  conditions: ['@causeway/source'],
  mainFields: ['module', 'main'],
  // All files in one folder: paths of the runtime's own files are relative to it.
  chunkNames: '[name]-[hash]',
  // Packages of the older module format load the built-in ones by `require`.
  banner: {
    js: `import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)`,
  },
  keepNames: true,
  metafile: true,
})
// Which modules each file has, for the tests.
writeFileSync(join(outdir, 'modules.json'), JSON.stringify(metafile.outputs))
