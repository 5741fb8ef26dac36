/**
 * The records of a pax extended header (POSIX.1, pax Interchange Format): `LENGTH KEY=VALUE\n`.
 *
 * @module
 */
import { ImageError } from '../image-error.ts'

/**
 * Reads all records; of a repeated key the last one counts.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID for a malformed record or a NUL in a name
 */
export function readPaxRecords(body: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < body.length;) {
    const { key, value, end } = readRecord(body, at)
    records.set(key, value)
    at = end
  }
  return records
}

/** Looks no further than the record's own length, so that a megabyte of records stays cheap. */
function readRecord(body: Buffer, at: number) {
  const length = /^(\d{1,7}) /.exec(body.toString('latin1', at, at + 8))
  const end = at + Number(length?.[1] ?? 0)
  if (length === null || end > body.length || body[end - 1] !== 0x0a) throw malformed()
  const record = body.toString('utf8', at + length[0].length, end - 1)
  const equals = record.indexOf('=')
  if (equals < 1) throw malformed()
  const key = record.slice(0, equals)
  const value = record.slice(equals + 1)
  // Extended attributes may hold anything; they are not restored.
  if (value.includes('\0') && !key.startsWith('SCHILY.')) throw malformed()
  return { key, value, end }
}

function malformed(): ImageError {
  return new ImageError('IMAGE_ARCHIVE_INVALID', 'the image archive is damaged: bad pax record')
}
