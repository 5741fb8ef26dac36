/**
 * The schema of `manifest.json` (runtime spec, Manifest). Every message says what is expected.
 * @module
 */
import { posix } from 'node:path'
import * as v from 'valibot'
import { jsonObject } from './document/json-object.ts'
import { described, noNul, optionalField } from './document/field.ts'

/** When the host restarts an ended job, as a manifest spells it (any case). */
export const restartPolicies = ['no', 'onFailure', 'always'] as const

const entrypoint = 'the path of a file inside the bundle, or an absolute path in the image'
const imageUrl = 'an absolute URL with the scheme https, http or file'
const sha256 = '64 hex digits, the SHA-256 of the image archive'
const restartPolicy = 'no, onFailure or always'

const Image = jsonObject({
  url: described(
    'URL of the distro image archive. What the host admits beside https is its own policy.',
    v.pipe(v.string(imageUrl), v.url(imageUrl), v.check(isImageUrl, imageUrl)),
  ),
  sha256: described(
    'SHA-256 of the archive, 64 hex digits.',
    v.pipe(v.string(sha256), v.regex(/^[0-9a-fA-F]{64}$/, sha256)),
  ),
})

/** The document as authors may write it; {@link parseManifest} turns it into a `Manifest`. */
export const ManifestSchema = v.pipe(
  jsonObject({
    $schema: optionalField('For editors; not read.', v.string('a string')),
    name: optionalField('A name for people.', v.string('a string')),
    version: described('Manifest version.', v.picklist([1, '1'], '1 or "1"')),
    entrypoint: described(
      'Script or binary run first: a path inside the bundle, or an absolute path in the image.',
      v.pipe(
        v.string(entrypoint),
        v.nonEmpty(entrypoint),
        v.check(noNul, 'a path without NUL'),
        v.check(staysInside, entrypoint),
      ),
    ),
    restartPolicy: optionalField(
      'Whether the job is started again when it ends: no (default), onFailure or always.',
      v.pipe(v.string(restartPolicy), v.regex(anyCase(restartPolicies), restartPolicy)),
    ),
    image: described('The distro image the job runs in.', Image),
  }),
  v.title('Causeway manifest'),
)

/** Spells the letters' cases out, because a JSON Schema pattern has no flags. */
function anyCase(words: readonly string[]): RegExp {
  const patterns = words.map((word) =>
    word.replace(/[a-z]/gi, (c) => `[${c.toLowerCase()}${c.toUpperCase()}]`),
  )
  return new RegExp(`^(?:${patterns.join('|')})$`)
}

/** Stricter than `new URL`, which also accepts `https:host`, `file:path` and surrounding blanks. */
function isImageUrl(text: string): boolean {
  return /^(?:https?|file):\/\/\S+$/i.test(text)
}

/** Whether a path is inside the bundle, or absolute, that is, inside the image. */
function staysInside(path: string): boolean {
  const plain = posix.normalize(path)
  if (plain.endsWith('/') || plain === '.') return false
  return posix.isAbsolute(plain) || (plain !== '..' && !plain.startsWith('../'))
}
