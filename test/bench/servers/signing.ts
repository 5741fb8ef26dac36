/**
 * Servers that are asked for signatures, each over another digest; signatures are deterministic, so
 * every reply can be compared.
 * @module
 */
import { createHash } from 'node:crypto'
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { askServer, type Server } from './server.ts'

export const digests = Array.from({ length: 256 }, (_, index) =>
  createHash('sha256').update(`digest ${index}`).digest(),
)

/** The server with requests for signatures. @throws Error for a wrong signature */
export async function toSigning(server: Server, curve: SigningCurve): Promise<Server> {
  const publicKey = await ask(server, requestLine('signer_publicKey', { curve }), 'publicKey')
  const requests = digests.map((digest) =>
    requestLine('signer_sign', { curve, bytes: digest.toString('hex') }),
  )
  const replies: string[] = []
  for (const request of requests) replies.push(await askServer(server.socket, request))
  checkSignatures(curve, publicKey, replies)
  const exchanges = requests.length
  const [request, reply] = [requests.join(''), replies.join('')]
  return { ...server, name: `${server.name} ${curve}`, request, reply, exchanges }
}

/** A server for the same requests, which gives every one its single reply. */
export function withRequestsOf(signing: Server, server: Server): Server {
  const { request, exchanges = 1 } = signing
  return { ...server, request, reply: server.reply.repeat(exchanges), exchanges }
}

/** The reply to the first request. */
export function firstReply({ reply, exchanges = 1 }: Server): string {
  return reply.slice(0, reply.length / exchanges)
}

function requestLine(method: string, params: Readonly<Record<string, string>>): string {
  return `${JSON.stringify({ jsonrpc: '2.0', method, params: [params], id: '1' })}\n`
}

async function ask({ socket }: Server, request: string, field: string): Promise<Uint8Array> {
  return resultBytes(await askServer(socket, request), field)
}

function resultBytes(reply: string, field: string): Uint8Array {
  const { result } = JSON.parse(reply) as { result?: Record<string, string> }
  if (result?.[field] === undefined) throw new Error(`expected a result, found ${reply}`)
  return Buffer.from(result[field], 'hex')
}

/** Checks with noble, including low s: a fast but wrong signature must fail. */
function checkSignatures(
  curve: SigningCurve,
  publicKey: Uint8Array,
  replies: readonly string[],
): void {
  const wrong = replies.find((reply, index) => {
    const signature = resultBytes(reply, 'bytes')
    return !isSignature(curve, signature, digests[index]!, publicKey)
  })
  if (wrong !== undefined) throw new Error(`no signature of ${curve}: ${wrong}`)
}

function isSignature(
  curve: SigningCurve,
  signature: Uint8Array,
  digest: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (curve === 'ed25519') return ed25519.verify(signature, digest, publicKey)
  const ecdsa = { p256, secp256k1 }[curve]
  return ecdsa.verify(signature, digest, publicKey, { prehash: false, lowS: true })
}
