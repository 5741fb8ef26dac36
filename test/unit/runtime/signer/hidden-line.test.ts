import { describe, expect, it } from 'vitest'
import { createHiddenLine } from '../../../../runtime/src/signer/root/hidden-line.ts'

/** Types all bytes. @returns the outcome of the last byte, and the line */
function typed(...input: (string | number)[]) {
  const line = createHiddenLine()
  const bytes = input.flatMap((part) =>
    typeof part === 'string' ? [...Buffer.from(part)] : [part],
  )
  const outcomes = bytes.map((byte) => line.type(byte))
  return { outcome: outcomes.at(-1), others: new Set(outcomes.slice(0, -1)), line: line.take() }
}

const [interrupt, end, eraseLine, erase, backspace] = [3, 4, 0x15, 0x7f, 8]

describe('a line that is not shown', () => {
  it.each([
    { name: 'Enter ends it', input: ['pass word\r'], text: 'pass word' },
    { name: 'a newline, too', input: ['pass\n'], text: 'pass' },
    { name: 'empty', input: ['\r'], text: '' },
    { name: 'backspace', input: ['ab', erase, 'c', backspace, 'd\r'], text: 'ad' },
    { name: 'backspace takes a character', input: ['a€', erase, 'ü', erase, '\r'], text: 'a' },
    { name: 'backspace at the start', input: [erase, erase, 'a\r'], text: 'a' },
    { name: 'Ctrl-U', input: ['wrong', eraseLine, 'right\r'], text: 'right' },
    { name: 'a tab is a character', input: ['a\tb\r'], text: 'a\tb' },
    { name: 'Ctrl-D inside a line is one, too', input: ['a', end, 'b\r'], text: 'a\x04b' },
  ])('$name', ({ input, text }) => {
    const { outcome, others, line } = typed(...input)
    expect([outcome, line.toString()]).toEqual(['done', text])
    expect([...others].filter((other) => other !== 'more')).toEqual([])
  })

  it.each([
    { name: 'Ctrl-C', input: ['abc', interrupt], outcome: 'interrupted' },
    { name: 'Ctrl-D on an empty line', input: [end], outcome: 'interrupted' },
    { name: 'more than 1024 bytes', input: ['x'.repeat(1025)], outcome: 'too-long' },
  ])('$name is $outcome', ({ input, outcome }) => {
    expect(typed(...input).outcome).toBe(outcome)
  })

  it('takes 1024 bytes', () => {
    expect(typed(`${'x'.repeat(1024)}\r`).line).toHaveLength(1024)
  })

  it('keeps bytes unchanged, UTF-8 or not', () => {
    expect([...typed(0xff, 0xfe, '\r').line]).toEqual([0xff, 0xfe])
  })
})
