/**
 * Puts an image into the text of a manifest, and leaves the rest as its author wrote it.
 * @module
 */
import { applyEdits, modify } from 'jsonc-parser'
import { jsonObject } from './document/json-object.ts'
import { readDocument } from './document/read-document.ts'
import { parseManifest, type Manifest } from './manifest.ts'

const ObjectSchema = jsonObject({})

/**
 * Sets the field `image` of a manifest, which may have none yet.
 * @param file what messages call the document
 * @returns the new text, which parseManifest takes
 * @throws DocumentError naming every wrong field
 */
export function fillImage(text: string, file: string, image: Manifest['image']): string {
  readDocument(text, file, { schema: ObjectSchema, refuses: 'nothing' })
  const json = text.replace(/^\uFEFF/, '')
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' }
  const filled = applyEdits(json, modify(json, ['image'], image, { formattingOptions }))
  parseManifest(filled, file)
  return filled
}
