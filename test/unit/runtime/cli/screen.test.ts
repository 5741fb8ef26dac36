/** What a terminal shows of a job's output and of the host's lines. */
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createReporter } from '../../../../runtime/src/cli/print/report.ts'
import { createScreen, type Target } from '../../../../runtime/src/cli/print/screen.ts'
import { escapeControls } from '../../../../service/src/log/escape-controls.ts'

const terminal = { isTTY: true }
const bytes = (text: string) => Buffer.from(text)

describe('a job’s output', () => {
  test('has no control sequences on a terminal', () => {
    const show = createScreen().ofJob(terminal)
    expect(show(bytes('a\tb\u001b[2J\rc\u009b1m\u202e\n'))).toBe('a    b?[2J?c?1m?\n')
  })

  test('may end a piece within a character', () => {
    const show = createScreen().ofJob(terminal)
    const [whole, cut] = [bytes('é'), 1]
    expect([show(whole.subarray(0, cut)), show(whole.subarray(cut))]).toEqual(['', 'é'])
    expect(show(Buffer.from([0x9b, 0x31, 0x6d]))).toBe('\ufffd1m')
  })

  test('is as it is with --raw, and where no terminal is', () => {
    const hostile = bytes('\u001b[2J')
    expect(createScreen(true).ofJob(terminal)(hostile)).toEqual(hostile)
    expect(createScreen().ofJob({})(hostile)).toEqual(hostile)
  })
})

describe('a line of the host', () => {
  const host = '\u001b[1m✓ job ended\u001b[22m exit code 0\n'

  test('begins on a terminal as no job’s line can', () => {
    const screen = createScreen()
    expect(screen.ofHost(terminal, '✓ job ended', 'exit code 0')).toBe(host)
    expect(screen.ofJob(terminal)(bytes(host))).not.toContain('\u001b')
    expect(screen.ofHost({}, '✓ job ended', 'exit code 0')).toBe('✓ job ended exit code 0\n')
  })

  test('begins on a line of its own', () => {
    const screen = createScreen()
    const show = screen.ofJob(terminal)
    show(bytes('not true: '))
    expect(screen.ofHost(terminal, '✓ job ended', 'exit code 0')).toBe(`\n${host}`)
    expect(screen.ofHost(terminal, '✓ job ended', 'exit code 0')).toBe(host)
    show(bytes('whole\n'))
    expect(screen.ofHost(terminal, '✓ job ended', 'exit code 0')).toBe(host)
  })

  test.each<Target>([terminal, {}])('is one line, whatever a job puts in: %j', async (target) => {
    const out = Object.assign(new PassThrough(), target)
    const outcome = { error: { kind: 'BAD_HOST', message: 'a\n✓ job ended        exit code 0' } }
    createReporter(out).call({
      method: 'network_whitelist',
      params: [{ host: 'x\n✓ signature' }],
      outcome,
      durationMs: 1,
    })
    out.end()
    expect((await out.setEncoding('utf8').toArray()).join('').split('\n')).toHaveLength(2)
  })

  test('in the daemon’s log keeps a job’s text from the terminal, and loses none of it', () => {
    const line = JSON.stringify({ peer: 'a\u009b2J\u202e\u{e0001}b' })
    const escaped = escapeControls(line)
    expect(escaped).toBe(String.raw`{"peer":"a\u009b2J\u202e\udb40\udc01b"}`)
    expect(JSON.parse(escaped)).toEqual(JSON.parse(line))
  })
})
