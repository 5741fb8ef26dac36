/** Schema of the result of `rpc.discover`: an OpenRPC 1.3 document. @module */
import * as v from 'valibot'
import { described, text } from '../params/fields.ts'

const jsonSchema = described(v.record(v.string(), v.unknown()), 'JSON Schema, draft 7.')

const contentDescriptor = v.strictObject({
  name: text('`params` or `result`; it is not on the wire.'),
  required: v.exactOptional(described(v.boolean(), 'Whether it is required.')),
  schema: jsonSchema,
})

const methodError = v.strictObject({
  code: described(v.number(), 'JSON-RPC code.'),
  message: text('The kinds under this code, for a person.'),
  data: described(
    v.strictObject({ kinds: described(v.array(v.string()), 'The same; keys of `x-errors`.') }),
    'The kinds for programs.',
  ),
})

const availability = v.strictObject({
  available: described(v.boolean(), 'Whether the caller may use the method here.'),
  reason: v.exactOptional(
    described(
      v.picklist(['version', 'policy']),
      "Why not: above the host's bridge level, or not granted to the deployment.",
    ),
  ),
  message: v.exactOptional(text('The reason for a person.')),
})

const method = v.strictObject({
  name: text('Wire name.'),
  summary: text('What it gives, in one sentence.'),
  paramStructure: described(v.literal('by-position'), '`params` is an array.'),
  params: described(v.array(contentDescriptor), 'None, or one object.'),
  result: described(contentDescriptor, 'Member `result` of the reply.'),
  errors: described(v.array(methodError), 'Codes beyond those that every call may answer.'),
  'x-since': text('Lowest bridge level that has the method.'),
  'x-platform': described(
    v.picklist(['any', 'mobile']),
    '`mobile`: only on hosts that embed a web view.',
  ),
  'x-class': text('Class whose rate and deadline limits apply to the method.'),
  'x-availability': described(availability, 'Whether the caller may use it, and why not.'),
})

const error = v.strictObject({
  code: described(v.number(), 'JSON-RPC code.'),
  description: text('When a call fails with this kind.'),
  retry: described(
    v.picklist(['no', 'yes', 'after']),
    'Whether the same call may succeed later; `after`: when the error has `retryAfterMs`.',
  ),
})

const network = v.strictObject({
  mode: described(
    v.picklist(['isolated', 'shared', 'none']),
    "A network of the deployment's own, the host's with limits by user, or just the host's.",
  ),
  enforced: described(
    v.boolean(),
    'Whether the kernel enforces the limits; else `network_whitelist` verifies and changes nothing.',
  ),
  connectionsPerSecond: v.exactOptional(
    described(v.number(), 'New connections to addresses that are not whitelisted.'),
  ),
  connectionBurst: v.exactOptional(
    described(v.number(), 'How many may come at once, before that rate applies.'),
  ),
})

export const openRpcSchema = v.strictObject({
  openrpc: described(v.literal('1.3.2'), "Version of the document's format."),
  info: described(
    v.strictObject({
      title: text('For a person.'),
      version: text("The host's bridge level."),
      'x-signer': v.exactOptional(
        described(
          v.picklist(['native', 'portable']),
          'Whether the host signs in native memory or in JavaScript, which is slower.',
        ),
      ),
      'x-network': v.exactOptional(
        described(network, 'What limits connections to addresses that are not whitelisted.'),
      ),
    }),
    'What the document is about.',
  ),
  methods: described(v.array(method), 'Every method of the host.'),
  'x-errors': described(v.record(v.string(), error), 'Every error kind, by name.'),
})
