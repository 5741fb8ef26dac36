import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../bench/command.ts'
import { groups } from '../../bench/groups.ts'
import { takeTurn } from '../../bench/machine/turn.ts'
import { parseOptions, UsageError } from '../../bench/options.ts'
import { start } from '../../support/causeway.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const known = ['bridge', 'idle']

describe('parseOptions', () => {
  test('has a default for everything', () => {
    expect(parseOptions([], known)).toEqual({
      groups: [],
      rounds: 8,
      seconds: 0.5,
      strict: false,
      list: false,
      help: false,
    })
  })

  test('takes groups and options in any order', () => {
    const argv = ['idle', '--rounds', '3', '--json', 'rows.json', 'bridge', '--seconds=0.2']
    expect(parseOptions([...argv, '--strict'], known)).toMatchObject({
      groups: ['idle', 'bridge'],
      rounds: 3,
      seconds: 0.2,
      json: 'rows.json',
      strict: true,
    })
  })

  test.each([
    [['brigde'], 'expected a group of bridge, idle; found brigde'],
    [['--rounds', '0'], '--rounds: expected a whole number from 1 to 1000, found 0'],
    [['--rounds', '1.5'], '--rounds: expected a whole number from 1 to 1000, found 1.5'],
    [['--rounds', ''], '--rounds: expected a whole number from 1 to 1000, found '],
    [['--seconds', 'long'], '--seconds: expected a number from 0.05 to 60, found long'],
    [['--seconds', '61'], '--seconds: expected a number from 0.05 to 60, found 61'],
    [['--fast'], "Unknown option '--fast'"],
  ])('%j is refused', (argv, message) => {
    expect(() => parseOptions(argv, known)).toThrow(UsageError)
    expect(() => parseOptions(argv, known)).toThrow(message)
  })
})

describe('the command', () => {
  const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url))
  const node = ['--conditions=@causeway/source', '--import', 'tsx', main]

  /** In this process, as `main.ts` calls it. */
  async function bench(...argv: string[]) {
    let [stdout, stderr] = ['', '']
    const status = await runCommand(argv, {
      out: (text) => void (stdout += text),
      err: (text) => void (stderr += text),
    })
    return { status, stdout, stderr }
  }

  test('--list names every group', async () => {
    const { status, stdout } = await bench('--list')
    expect(status).toBe(0)
    const names = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':')[0])
    expect(names).toEqual(groups.map(({ name }) => name))
  })

  test('--help names every option', async () => {
    const { status, stdout } = await bench('--help')
    expect(status).toBe(0)
    for (const option of ['--rounds', '--seconds', '--json', '--strict', '--list', '--help'])
      expect(stdout).toContain(`  ${option} `)
  })

  test('rows of an earlier run stay while another one waits', { timeout: 60_000 }, async () => {
    await using folder = await temporaryFolder()
    const json = join(folder.path, 'rows.json')
    await writeFile(json, '[]\n')
    const endTurn = await takeOrLeaveTurn()
    const { child, finished } = start(process.execPath, [...node, '--json', json])
    const [text] = (await once(child.stderr!, 'data')) as [string]
    child.kill('SIGTERM')
    await finished
    endTurn()
    expect(text).toContain('another benchmark runs: waiting for its end')
    expect(await readFile(json, 'utf8')).toBe('[]\n')
  })

  test('a file that cannot be written is told at once', async () => {
    const { status, stdout, stderr } = await bench('--json', '/no/such/folder/rows.json')
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('ENOENT')
    expect(stderr).not.toContain('waiting')
  })

  test('a wrong command line says what was expected', async () => {
    const { status, stdout, stderr } = await bench('brigde')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('found brigde')
    expect(stderr).toContain('--rounds')
  })
})

/** The turn, unless a benchmark has it; either way the next one waits. */
async function takeOrLeaveTurn(): Promise<() => void> {
  const controller = new AbortController()
  const { signal } = controller
  const left = () => {}
  return takeTurn({ onWait: () => controller.abort(), signal }).catch(() => left)
}
