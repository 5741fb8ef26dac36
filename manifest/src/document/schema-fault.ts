/**
 * A valibot issue as a fault: where in the text, what stands there, what should.
 * @module
 */
import type * as v from 'valibot'
import { describeKind, describeValue } from './describe.ts'
import type { Fault, Keys } from './fault.ts'
import { nameOffset, nodeAt } from './json-node.ts'
import type { JsonNode } from './json-node.ts'
import { quoteName } from './names.ts'

/** What a kind of document adds to the faults of its schema. */
export interface FaultTexts {
  /** Whether the value at `keys` must never show in a message. */
  isSecret?: (keys: Keys) => boolean
  /** A word of help for a wrong value; for a wrong name, the value is the name. */
  hint?: (keys: Keys, value: unknown) => string | undefined
}

/** Finds the place of an issue in the tree the schema was given. */
export function schemaFault(issue: v.BaseIssue<unknown>, root: JsonNode, texts: FaultTexts): Fault {
  const keys = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))
  const node = nodeAt(root, keys)
  if (node === undefined) return missingFault(issue, root, keys)
  if (issue.path?.at(-1)?.origin === 'key') return nameFault(issue, root, keys, texts)
  // Whoever reads the wrong file as a document should not see its content either.
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

/** A record's entry whose name is wrong, whatever its value. */
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
