/**
 * Seals a deployment's file under the root secret; `docs/keys.md` has the format byte by byte.
 * @module
 */
import { labelPrefix } from '../labels.ts'
import type { DeploymentLabel, RootKeys, SealUse } from '../backend.ts'

const version = 1
const lengthBytes = 4
const labelParts = 3

/** `version ‖ label ‖ iv ‖ AES-256-GCM ciphertext ‖ tag`; additional data: version and label. */
export function seal(use: SealUse, root: RootKeys, plaintext: Uint8Array): Buffer {
  const header = headerOf(use.label)
  return Buffer.concat([header, root.seal(use, header, plaintext)])
}

/** The plaintext, which the caller zeroes; undefined when label or root secret do not match. */
export function open(use: SealUse, root: RootKeys, sealed: Buffer): Buffer | undefined {
  const header = headerOf(use.label)
  const isOurs = sealed.subarray(0, header.length).equals(header)
  return isOurs ? root.unseal(use, header, sealed.subarray(header.length)) : undefined
}

/** The deployment that the file claims to be of; undefined when the file is damaged. */
export function sealedLabel(sealed: Buffer): DeploymentLabel | undefined {
  const parts: Buffer[] = []
  let offset = 1
  for (let part = 0; part < labelParts; part++) {
    if (offset + lengthBytes > sealed.length) return undefined
    const start = offset + lengthBytes
    offset = start + sealed.readUInt32BE(offset)
    parts.push(sealed.subarray(start, offset))
  }
  const [kind, source, id] = parts as [Buffer, Buffer, Buffer]
  return { originKind: kind.toString(), source: Uint8Array.from(source), id: id.toString() }
}

function headerOf(label: DeploymentLabel): Buffer {
  return Buffer.concat([Buffer.of(version), labelPrefix(label)])
}
