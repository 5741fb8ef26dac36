/**
 * Stores which deployment a log folder belongs to: the folder's name is only a hash, and a rotation
 * of the root secret needs the label. A forged file is detected: the label's hash must be the name.
 * @module
 */
import { fstatSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { orNone } from '@causeway/service/failure'
import type { DeploymentLabel } from '../../signer/backend.ts'
import { auditFolder } from './folder.ts'
import { maxLineBytes } from '../line.ts'
import { withPlain } from './plain-file.ts'

const labelName = 'label.json'
// The size of the deployment file is the only limit of kind and id.
const maxLabelBytes = maxLineBytes

/** Writes the label file if there is no valid one. */
export function keepLabel(folder: string, { originKind, source, id }: DeploymentLabel): void {
  const file = join(folder, labelName)
  // Not `existsSync`: a power failure may have left an empty file.
  if (ownerOfFolder(folder)) return
  const label = { originKind, source: Buffer.from(source).toString('hex'), id }
  writeFileSync(`${file}.new`, `${JSON.stringify(label)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

/** Deployment and number of a log folder; undefined without a label that matches the folder. */
export function ownerOfFolder(
  folder: string,
): { label: DeploymentLabel; number: number } | undefined {
  const label = parse(join(folder, labelName))
  const number = Number(/\.(\d+)$/.exec(folder)?.[1] ?? 1)
  const isOurs = label && basename(auditFolder(dirname(folder), label, number)) === basename(folder)
  return isOurs ? { label, number } : undefined
}

function parse(file: string): DeploymentLabel | undefined {
  const document = orNone(() => JSON.parse(contentOf(file)) as Record<string, unknown> | null)
  const { originKind, source, id } = document ?? {}
  const isLabel = [originKind, source, id].every((text) => typeof text === 'string')
  if (!isLabel) return undefined
  return {
    originKind: originKind as string,
    source: Buffer.from(source as string, 'hex'),
    id: id as string,
  }
}

/** Reads at most the size of an honest file. */
function contentOf(file: string): string {
  const text = withPlain(file, (fd) => {
    const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, maxLabelBytes))
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0))
  })
  return text ?? ''
}
