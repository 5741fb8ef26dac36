/**
 * Bridges with one fault each, and the rows that must fail because of it.
 * @module
 */
import type { Fault } from './broken-bridge.ts'
import { allChecks } from './kit/src/checks/all-checks.ts'

/** Ids of the checks with this prefix. */
export const ids = (prefix: string) =>
  allChecks.map(({ id }) => id).filter((id) => id.startsWith(prefix))

const p256Order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
// Its x is outside both fields.
const noPoint = `02${'ff'.repeat(32)}`
const families =
  /"method":"(?:(?:processor|deployment|signer|browser|network|tunnel)_|rpc\.discover)/

/** Each fault, and the rows that must fail because of it. */
export const faults: readonly { name: string; fault: Fault; failed: readonly string[] }[] = [
  {
    name: '"error":null beside results',
    fault: { reply: (text) => text.replace(/,"result":(.*)\}\n$/, ',"result":$1,"error":null}\n') },
    failed: ['reply.result-alone'],
  },
  {
    name: 'the reply in two writes',
    fault: { reply: (text) => [text.slice(0, 20), text.slice(20)] },
    failed: ['reply.one-send'],
  },
  {
    name: 'numeric ids come back as strings',
    fault: { reply: (text) => text.replace(/"id":(-?[\d.]+)/, '"id":"$1"') },
    failed: ['id.integer', 'id.zero', 'id.negative', 'id.fraction', 'id.large'],
  },
  {
    name: 'batches are answered',
    fault: {
      async intercept({ text, client, ask }) {
        if (!text.startsWith('[') || !text.includes(']')) return false
        const requests = (JSON.parse(text) as unknown[]).map((request) => JSON.stringify(request))
        const replies = await Promise.all(requests.map(ask))
        client.end(`[${replies.map((reply) => reply.trim()).join(',')}]\n`)
        return true
      },
    },
    failed: ['batch.two', 'batch.one', 'batch.empty'],
  },
  {
    name: 'no close after the reply',
    fault: { staysOpen: true },
    failed: ['reply.closed', 'reply.closed-error'],
  },
  {
    name: 'a line that ends with the stream is not answered',
    fault: {
      intercept({ text, client }) {
        if (text === '' || text.includes('\n')) return false
        client.end()
        return true
      },
    },
    failed: ['line.eof', 'line.eof-cr'],
  },
  {
    name: 'a blank line ends the connection',
    fault: {
      intercept({ text, client }) {
        if (!/^[\r\n]+$/.test(text)) return false
        client.end()
        return true
      },
    },
    failed: ['line.blank-before-apart', 'garbage.blank'],
  },
  {
    name: 'blanks in the reply',
    fault: { reply: (text) => text.replace('{"jsonrpc":', '{"jsonrpc": ') },
    failed: ['reply.compact', 'reply.compact-error'],
  },
  {
    name: 'hex in upper case',
    fault: {
      reply: (text) => text.replace(/"[0-9a-f]{20,}"/g, (hex) => hex.toUpperCase()),
    },
    failed: ['hex.out-deployment', 'hex.out-signer', 'hex.out-cipher'],
  },
  {
    name: 'unknown methods are internal errors',
    fault: {
      reply: (text, request) =>
        families.test(request) ? text : text.replace('"code":-32601', '"code":-32603'),
    },
    failed: ids('method.'),
  },
  {
    name: 'HTTP ends all connections',
    fault: {
      intercept({ text, clients }) {
        if (!/^(?:GET|POST) /.test(text)) return false
        clients.forEach((client) => client.destroy())
        return true
      },
    },
    failed: ['garbage.http-get', 'garbage.http-post', 'garbage.http-told', 'garbage.undisturbed'],
  },
  {
    name: 'two replies for two lines',
    fault: {
      async intercept({ text, client, ask }) {
        const [first, second, ...more] = text.split('\n')
        if (!first?.endsWith('}') || !second?.endsWith('}') || more.length !== 1) return false
        client.end((await ask(first)) + (await ask(second)))
        return true
      },
    },
    failed: ['line.second-ignored'],
  },
  {
    name: 'the error says why decryption failed',
    fault: {
      reply: (text, request) =>
        text.replace('could not be decrypted', `of ${request.length} could not be decrypted`),
    },
    failed: ids('cipher.uniform'),
  },
  {
    name: 'signatures with a high s',
    fault: {
      reply: (text, request) =>
        request.includes('"signer_sign"') && request.includes('"p256"')
          ? text.replace(/[0-9a-f]{64}"/, (low) => `${highS(low.slice(0, 64))}"`)
          : text,
    },
    failed: ['sign.low-s-p256'],
  },
  {
    name: 'keys that are not points',
    fault: {
      reply: (text, request) =>
        /"(?:signer_publicKey|deployment_encryptionKeys)"/.test(request)
          ? text.replace(/"0[23][0-9a-f]{64}"/g, `"${noPoint}"`)
          : text,
    },
    failed: [
      'deployment.key-lengths',
      'deployment.own-entry',
      'deployment.signer-keys',
      'sign.p256',
      'sign.secp256k1',
      'derivation.secp256k1',
      'hex.out-cipher',
      ...ids('cipher.').filter((id) => !id.startsWith('cipher.bad-key') && id !== 'cipher.ed25519'),
    ],
  },
  {
    name: 'more than a hundred clients are dropped',
    fault: {
      intercept({ client, clients }) {
        if (clients.size > 100) client.destroy()
        return client.destroyed
      },
    },
    failed: ['crowd.thousand'],
  },
]

function highS(low: string): string {
  return (p256Order - BigInt(`0x${low}`)).toString(16).padStart(64, '0')
}
