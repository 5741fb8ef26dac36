import { expect, test } from 'vitest'
import { showProgress } from '../../../../runtime/src/cli/print/image-progress.ts'
import { age, size } from '../../../../runtime/src/cli/print/image-text.ts'
import { table } from '../../../../runtime/src/cli/print/table.ts'

test.for([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [51_627_888, '51.6 MB'],
  [20 * 1024 ** 3, '21.5 GB'],
  [4e15, '4000.0 TB'],
] as const)('%d bytes are %s', ([bytes, text]) => {
  expect(size(bytes)).toBe(text)
})

test.for([
  [0, 'now'],
  [-5000, 'now'],
  [1000, '1 second ago'],
  [119_000, '1 minute ago'],
  [2 * 3_600_000, '2 hours ago'],
  [400 * 86_400_000, '400 days ago'],
] as const)('%d ms back is %s', ([ms, text]) => {
  expect(age(1e12 - ms, 1e12)).toBe(text)
})

test('columns are as wide as their widest cell', () => {
  expect(
    table(
      ['A', 'B'],
      [
        ['long', 'x'],
        ['s', ''],
      ],
    ),
  ).toBe('A     B\nlong  x\ns')
})

test('progress is one line on a terminal, without control characters, and nothing elsewhere', () => {
  const written: string[] = []
  const out = { write: (text: string) => written.push(text) > 0, columns: 60 }
  const piped = showProgress(out)
  piped.report({ phase: 'download', bytes: 1 })
  piped.clear()
  expect(written).toEqual([])
  const terminal = showProgress({ ...out, isTTY: true } as never)
  terminal.report({ phase: 'download', bytes: 2e6, totalBytes: 4e6, resumedBytes: 1e6 })
  terminal.report({ phase: 'unpack', entries: 7, detail: `\u001b[2J${'x'.repeat(100)}` })
  terminal.clear()
  expect(written[0]).toBe('\r\u001b[Kdownload   50 %  2.0 MB of 4.0 MB  resumed at 1.0 MB')
  const shown = `unpack    7 entries  ?[2J${'x'.repeat(100)}`
  expect(written[1]).toBe(`\r\u001b[K${shown.slice(0, 59)}`)
  expect(written[2]).toBe('\r\u001b[K')
})
