/**
 * The report for people: one line per check, below it what was expected and found.
 * @module
 */
import type { Check } from './check.ts'
import type { Report, Row } from './report.ts'

/** Lines of one run's table; their widths are known before the rows. */
export interface Table {
  head(): string
  row(row: Row): string
  /** The line of a check that was not run. */
  listed(check: Check): string
}

export function createTable(checks: readonly Check[]): Table {
  const width = (name: 'section' | 'id' | 'title') =>
    Math.max(name.length, ...checks.map((check) => check[name].length))
  const widths = { section: width('section'), id: width('id'), title: width('title') }
  const line = ({ section, id, title }: Pick<Row, 'section' | 'id' | 'title'>, last: string) =>
    `${section.padEnd(widths.section)}  ${id.padEnd(widths.id)}  ${title.padEnd(widths.title)}  ${last}\n`
  return {
    head: () => line({ section: 'section', id: 'check', title: 'what holds' }, 'outcome'),
    row: (row) => line(row, row.status + why(row)) + failure(row),
    listed: (check) => line(check, check.profile ?? 'spec'),
  }
}

/** The list of checks. */
export function listText(checks: readonly Check[]): string {
  const table = createTable(checks)
  return checks.map((check) => table.listed(check)).join('')
}

/** The last line. */
export function summaryText({ rows, counts, durationMs }: Report): string {
  const { passed, failed, skipped } = counts
  const seconds = (durationMs / 1000).toFixed(1)
  return `${rows.length} checks: ${passed} passed, ${failed} failed, ${skipped} skipped, ${seconds} s\n`
}

function why({ detail }: Row): string {
  return detail && 'why' in detail ? `: ${detail.why}` : ''
}

function failure({ detail }: Row): string {
  if (!detail || !('found' in detail)) return ''
  return `    expected  ${detail.expected}\n    found     ${detail.found}\n`
}
