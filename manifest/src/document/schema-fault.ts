/**
 * Turns a valibot issue into a fault: its place in the text, what was found and expected.
 * @module
 */
import type * as v from 'valibot'
import { describeKind, describeValue } from './describe.ts'
import type { Fault, Keys } from './fault.ts'
import { nameOffset, nodeAt, type JsonNode } from './json-node.ts'
import { quoteName } from './names.ts'

/** Secrets and hints of one kind of document. */
export interface FaultTexts {
  /** Whether the value at `keys` must never show in a message. */
  isSecret?: (keys: Keys) => boolean
  /** A hint for a wrong value; for a wrong name, the value is the name. */
  hint?: (keys: Keys, value: unknown) => string | undefined
}

/** Finds an issue's place in the tree that the schema checked. */
export function schemaFault(issue: v.BaseIssue<unknown>, root: JsonNode, texts: FaultTexts): Fault {
  const keys = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))
  const node = nodeAt(root, keys)
  if (node === undefined) return missingFault(issue, root, keys)
  if (issue.path?.at(-1)?.origin === 'key') return nameFault(issue, root, keys, texts)
  // A file passed by mistake must not have its content shown.
  const isHidden = keys.length === 0 || texts.isSecret?.(keys)
  const found = isHidden ? describeKind(node) : describeValue(node)
  const hint = texts.hint?.(keys, node.value)
  return { keys, offset: node.offset, found, expected: issue.message, hint }
}

/** A missing field is reported at the object that lacks it. */
function missingFault(issue: v.BaseIssue<unknown>, root: JsonNode, keys: Keys): Fault {
  const owner = nodeAt(root, keys.slice(0, -1)) ?? root
  return { keys, offset: owner.offset, found: 'nothing', expected: issue.message }
}

/** The fault of a record entry with a wrong name, whatever its value. */
function nameFault(
  issue: v.BaseIssue<unknown>,
  root: JsonNode,
  keys: Keys,
  texts: FaultTexts,
): Fault {
  const name = String(keys.at(-1))
  const offset = nameOffset(root, keys)
  const hint = texts.hint?.(keys, name)
  return { keys, offset, found: quoteName(name), expected: issue.message, hint }
}
