/**
 * Every block of the README works as it stands, in its order, on a checkout where nothing has run.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyCheckout, setupParts } from '../support/copy-checkout.ts'
import { builtRecipe } from '../support/recipe-image.ts'
import { openShell, type ShellSession } from '../support/shell-session.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Block {
  language: string
  code: string
  /** `Save this as` file, when the text before the block says so. */
  file: string | undefined
}

/** What is not run as it stands: the tests run already. */
const replaced = { 'npm test ': ': npm test ' }

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
const blocks = blocksOf(readme)

/** What each block shows when it has worked; a block more or less is one that nobody has checked. */
const shows: readonly (readonly [language: string, shown?: RegExp])[] = [
  ['sh', /✓ signature +p256: OpenSSL verifies it\n(.*\n)*✓ job ended +exit code 0\n/],
  ['text'],
  ['sh'],
  ['python'],
  ['sh', /deployment\.json is right\n(.*\n)*\{'bytes': '[0-9a-f]{128}'\}\n/],
  ['js'],
  ['sh', /^[0-9a-f]{128}$/m],
  ['sh', /"control":"[^"]+\/control\.sock"/],
  ['sh', /^\{'bytes': '[0-9a-f]{128}'\}\n(.*\n)*✓ deployment 3510: removed\n/m],
]

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let checkout: string
let shell: ShellSession

beforeAll(async () => {
  folder = await temporaryFolder()
  checkout = join(folder.path, 'causeway')
  await mkdir(checkout)
  copyCheckout(checkout, setupParts)
  const state = join(folder.path, 'state')
  await placeRecipes(join(state, 'causeway/images/recipes'), ['python', 'node'])
  const env = { ...process.env, XDG_STATE_HOME: state, npm_config_offline: 'true' }
  const scripts = join(folder.path, 'scripts')
  await mkdir(scripts)
  shell = openShell(scripts, { cwd: checkout, env })
})
afterAll(async () => {
  await shell?.[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

test('no block is unknown', () => {
  expect(blocks.map(({ language }) => language)).toEqual(shows.map(([language]) => language))
  for (const [text] of Object.entries(replaced)) expect(readme).toContain(`\n${text}`)
})

describe('blocks, one after the other', () => {
  test.each(blocks.map((block, index) => ({ ...block, index, first: firstLine(block) })))(
    '$index: $first',
    async ({ language, code, file, index }) => {
      const before = shell.output().length
      if (language === 'sh') await shell.run(literally(code))
      else if (language === 'text') expectShown(code, shell.output())
      else await save(file, code)
      const shown = shows[index]?.[1]
      if (!shown) return
      // Programs in the background say it later.
      await expect
        .poll(() => shell.output().slice(before), { timeout: 60_000, interval: 100 })
        .toMatch(shown)
    },
    300_000,
  )
})

test('it is a page', () => {
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(120)
})

function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language, 2: code }) => ({
    language: language!,
    code: code!,
    file: /save this as `([^`]+)`:$/i.exec(page.slice(0, index).trimEnd())?.[1],
  }))
}

function firstLine({ code, file }: Block): string {
  return file ?? code.slice(0, code.indexOf('\n'))
}

function literally(code: string): string {
  return Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), code)
}

async function save(file: string | undefined, code: string): Promise<void> {
  if (file === undefined) throw new Error(`README does not say where this goes:\n${code}`)
  const path = join(checkout, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, code)
}

/** Lines that the README shows were printed, with other digits and digests. */
function expectShown(text: string, output: string): void {
  const seen = new Set(output.split('\n').map(shapeOf))
  for (const line of text.trimEnd().split('\n')) expect(seen).toContain(shapeOf(line))
}

function shapeOf(line: string): string {
  // The first time an image is no cached one; how jobs are confined is the host's.
  const changing = /, from .*| unpacked.*| under .*/
  return line
    .replace(changing, '')
    .replaceAll(/\b[0-9a-f]{16,}/g, '#')
    .replaceAll(/[\d.]+/g, '0')
}

/** Images come without a network: they were built before. */
async function placeRecipes(recipes: string, names: readonly string[]): Promise<void> {
  await mkdir(recipes, { recursive: true })
  for (const { path } of await Promise.all(names.map(builtRecipe))) {
    for (const file of [path, `${path}.json`]) await copyFile(file, join(recipes, basename(file)))
  }
}
