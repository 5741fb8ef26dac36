/** Reads `manifest.json`: which program to run, in which image. @module */
import type * as v from 'valibot'
import type { Keys } from './document/fault.ts'
import { ManifestSchema, restartPolicies } from './manifest-schema.ts'
import { readDocument, type ReadOptions } from './document/read-document.ts'
import { suggest } from './document/suggest.ts'

/** A manifest, normalised (runtime spec, Manifest). */
export interface Manifest {
  /** A name for people; nothing depends on it. Escape it before printing: it may be any string. */
  name?: string
  version: 1
  /** As written: a path inside the bundle (`..` cannot leave it), or absolute in the image. */
  entrypoint: string
  /** Default `no`. The spec does not have it; existing tools write it. */
  restartPolicy: 'no' | 'onFailure' | 'always'
  image: {
    /** As written; scheme https, http or file. The host's policy decides which are allowed. */
    url: string
    /** SHA-256 of the archive; 64 lower-case hex digits. */
    sha256: string
  }
}

/**
 * Reads the text of a manifest. Other hosts may know more fields, so an unknown one is a warning;
 * but it is wrong where it is almost the name of a field that is missing.
 * @param file what messages call the document
 * @returns the manifest, and one line for each unknown field
 * @throws DocumentError naming every wrong field with its line
 */
export function parseManifest(
  text: string,
  file: string,
  { isAccepted = false }: ReadOptions = {},
): { manifest: Manifest; warnings: readonly string[] } {
  const refuses = isAccepted ? 'nothing' : 'mistyped'
  const { value, warnings } = readDocument(text, file, { schema: ManifestSchema, hint, refuses })
  return { manifest: toManifest(value), warnings }
}

function toManifest(value: v.InferOutput<typeof ManifestSchema>): Manifest {
  const { name, entrypoint, image } = value
  const policy = restartPolicies.find(
    (known) => known.toLowerCase() === value.restartPolicy?.toLowerCase(),
  )
  return {
    ...(typeof name === 'string' ? { name } : {}),
    version: 1,
    entrypoint,
    restartPolicy: policy ?? 'no',
    image: { url: image.url, sha256: image.sha256.toLowerCase() },
  }
}

function hint(keys: Keys, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  switch (keys.join('.')) {
    case 'image.sha256':
      return sha256Hint(value)
    case 'image.url':
      return value.includes('://') ? undefined : 'begin it with https://'
    case 'restartPolicy':
      return didYouMean(suggest(value, restartPolicies))
    default:
      return undefined
  }
}

function sha256Hint(value: string): string | undefined {
  const prefix = /^(?:sha-?256[:=-]|0x)/i.exec(value)?.[0]
  if (prefix !== undefined) return `leave out the ${prefix}`
  return /^[0-9a-f]*$/i.test(value) ? `it has ${value.length}` : undefined
}

function didYouMean(word: string | undefined): string | undefined {
  return word === undefined ? undefined : `did you mean ${word}?`
}
