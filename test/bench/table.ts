/**
 * Prints rows as a table for people.
 * @module
 */
import type { Row, Target } from './row.ts'

const header = ['', 'value', 'unit', 'floor', 'ratio (min–max)', 'target', '']

/** One group's rows; a row's remark comes below the table and names the row. */
export function renderTable(title: string, rows: readonly Row[]): string {
  const lines = [header, ...rows.map(cells)]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const table = lines.map((line) => line.map((text, i) => pad(text, widths[i]!, i)).join('  '))
  return [title, ...table.map((line) => `  ${line}`.trimEnd()), ...remarks(rows), ''].join('\n')
}

function cells(row: Row): string[] {
  return [
    row.name,
    figure(row.value),
    row.unit,
    row.floor === null ? '' : figure(row.floor),
    row.ratio === null ? '' : `${ratio(row.ratio.median)} (${range(row)})`,
    row.target === null ? '' : bound(row.target),
    row.holds === null ? '' : row.holds ? '✓' : '✗ missed',
  ]
}

function range({ ratio: spread }: Row): string {
  return spread ? `${ratio(spread.min)}–${ratio(spread.max)}` : ''
}

/** Small ratios get two significant digits. */
function ratio(value: number): string {
  return value >= 0.1 || value === 0 ? value.toFixed(2) : value.toPrecision(2)
}

/** Three digits: the figures are not more precise. */
function figure(value: number): string {
  const digits = value === 0 || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const [whole = '', fraction] = value.toFixed(digits).split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

function bound({ of, atLeast, atMost }: Target): string {
  const sign = atLeast === undefined ? `≤ ${short(atMost)}` : `≥ ${short(atLeast)}`
  return of === 'ratio' ? `${sign} × floor` : sign
}

function short(limit = NaN): string {
  return String(Number(ratio(limit)))
}

// Names, units, targets and verdicts are left-aligned, numbers right-aligned.
const rightAligned = new Set([1, 3, 4])

function pad(text: string, width: number, column: number): string {
  return rightAligned.has(column) ? text.padStart(width) : text.padEnd(width)
}

function remarks(rows: readonly Row[]): string[] {
  const texts = new Map<string, string[]>()
  for (const { remark, name } of rows)
    if (remark !== undefined) texts.set(remark, [...(texts.get(remark) ?? []), name])
  const whose = (names: readonly string[]) =>
    names.length === rows.length ? '' : `${names.join('; ')}: `
  return [...texts].map(([remark, names]) => `  ! ${whose(names)}${remark}`)
}
