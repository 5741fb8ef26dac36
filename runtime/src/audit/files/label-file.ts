/**
 * Whose log a folder holds: its name is only a hash of that, and a new root secret needs more. The
 * file need not be believed: what it says must have the folder's name as its hash.
 * @module
 */
import { closeSync, fstatSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DeploymentLabel } from '../../signer/backend.ts'
import { auditFolder } from './folder.ts'
import { maxLineBytes } from '../line.ts'
import { openPlain } from './plain-file.ts'

const labelName = 'label.json'
// Kind and id have no limit of their own but the deployment file's.
const maxLabelBytes = maxLineBytes

/** Writes it, unless it is there. */
export function keepLabel(folder: string, { originKind, source, id }: DeploymentLabel): void {
  const file = join(folder, labelName)
  // A power failure may have left an empty one.
  if (ownerOfFolder(folder)) return
  const label = { originKind, source: Buffer.from(source).toString('hex'), id }
  writeFileSync(`${file}.new`, `${JSON.stringify(label)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

/** Whose log it is, and which; undefined when that is missing or of another folder. */
export function ownerOfFolder(
  folder: string,
): { label: DeploymentLabel; number: number } | undefined {
  const label = parse(join(folder, labelName))
  const number = Number(/\.(\d+)$/.exec(folder)?.[1] ?? 1)
  const isOurs = label && basename(auditFolder(dirname(folder), label, number)) === basename(folder)
  return isOurs ? { label, number } : undefined
}

function parse(file: string): DeploymentLabel | undefined {
  try {
    const { originKind, source, id } = JSON.parse(contentOf(file)) as Record<string, unknown>
    const isLabel = [originKind, source, id].every((text) => typeof text === 'string')
    if (!isLabel) return undefined
    return {
      originKind: originKind as string,
      source: Buffer.from(source as string, 'hex'),
      id: id as string,
    }
  } catch {
    return undefined
  }
}

/** The beginning of it, which is all of an honest one. */
function contentOf(file: string): string {
  const fd = openPlain(file)
  if (fd === undefined) return ''
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, maxLabelBytes))
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(fd)
  }
}
