/**
 * The signer's scenario for the sanitizers: sanitizer-signer.ts NATIVE-FACE. Makes every call with
 * real and hostile bytes, and one audit log over all of them; prints each result's number as JSON.
 * @module
 */
import { randomBytes, randomInt } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { times } from './effort.ts'

type NativeFace = typeof import('@causeway/native')

const face = (await import(process.argv[2] ?? '')) as NativeFace
const collectGarbage = globalThis.gc ?? (() => {})
const counts: Record<string, number> = {}
const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1)

const signer = face.loadSigner()
const rounds = times({ short: 100, long: 300 })
const slots = [0, 1, 2, 3, 4]

/** Keys of a random root, each replaced or refused to be. */
function openKeys() {
  const root = signer.openRoot(randomBytes(32))
  const keys = root.deriveKeys(randomBytes(randomInt(300)))
  root.account()
  root.deriveSecret(randomBytes(randomInt(2000)))
  for (const slot of slots) count(`setKey ${keys.setKey(slot, someKey())}`)
  keys.setHdSeed(randomBytes(64))
  for (const slot of slots) keys.exportKey(slot)
  keys.exportHdSeed()
  root.destroy()
  return keys
}

/** Random bytes, or bytes at the limits of valid keys. */
function someKey(): Buffer {
  return [randomBytes(32), Buffer.alloc(32), Buffer.alloc(32, 0xff), oneByte()][randomInt(4)]!
}

function oneByte(): Buffer {
  const bytes = Buffer.alloc(32)
  bytes[31] = 1
  return bytes
}

/** A point, or bytes of about its length. */
function somePoint(own: Uint8Array): Uint8Array {
  const bytes = randomInt(2) ? Buffer.from(own) : randomBytes(randomInt(70))
  if (bytes.length > 0 && randomInt(3) === 0) bytes[randomInt(bytes.length)]! ^= 1 << randomInt(8)
  return bytes
}

type Keys = ReturnType<typeof openKeys>

function useKeys(keys: Keys, chain: ReturnType<typeof openChain>['chain']): void {
  for (const slot of slots) {
    const message = slot === 2 ? randomBytes(randomInt(5000)) : someKey()
    keys.sign(slot, message)
    const input = randomInt(2) ? message : undefined
    const path = randomInt(2) ? 'm/0'.repeat(randomInt(60)) : undefined
    chain.append(Date.now(), { method: 'signer_sign', curve: 'p256', path, input, pid: slot })
    count('signed')
  }
  for (const slot of [3, 4]) exchange(keys, slot)
  const slot = face.firstDerivedSlot + randomInt(face.maxDerivedKeys)
  keys.derive(
    slot,
    Array.from({ length: randomInt(11) }, () => randomInt(2 ** 32)),
  )
  keys.sign(slot, someKey())
  keys.publicKey(slot)
  chain.commit()
}

function exchange(keys: Keys, slot: number): void {
  const own = keys.publicKey(slot)
  const agreement = { peerPublicKey: somePoint(own), salt: randomBytes(randomInt(200)) }
  const sealed = keys.encrypt(slot, agreement, randomBytes(randomInt(3) * randomInt(100_000)))
  count(typeof sealed === 'string' ? sealed : 'encrypted')
  const received = typeof sealed === 'string' ? randomBytes(randomInt(60)) : Buffer.from(sealed)
  if (randomInt(2)) received[randomInt(Math.max(1, received.length))]! ^= 4
  const opened = keys.decrypt(slot, agreement, received.subarray(0, received.length - randomInt(2)))
  count(typeof opened === 'string' ? opened : 'decrypted')
}

function openChain(folder: string) {
  const chain = face.createAuditChain({
    words: ['signer_sign', 'p256'],
    key: randomBytes(32),
    seq: 0,
    hash: Buffer.alloc(32),
  })
  const fds = ['log', 'head'].map((name) => openSync(join(folder, name), 'w'))
  chain.useFiles({ logFd: fds[0]!, headFd: fds[1]!, logSize: 0 })
  return { chain, close: () => fds.forEach(closeSync) }
}

/** A destroyed object must refuse every call. */
function useAfterDestroy(keys: Keys): void {
  keys.destroy()
  for (const use of [
    () => keys.sign(0, oneByte()),
    () => keys.publicKey(2),
    () => keys.derive(5, []),
  ])
    try {
      use()
    } catch {
      count('refused after destroy')
    }
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-sanitizer-'))
const { chain, close } = openChain(folder)
for (let round = 0; round < rounds; round++) {
  const keys = openKeys()
  useKeys(keys, chain)
  // Every second object is left to the garbage collector.
  if (round % 2) useAfterDestroy(keys)
  if (round % 50 === 0) collectGarbage()
}
chain.appendEvent(Date.now(), { event: 'closed' })
chain.commit()
chain.destroy()
close()
rmSync(folder, { recursive: true })

if (!process.argv.includes('--in-thread')) {
  // Each thread has its own curves, which end with it.
  const program = `import('tsx/esm/api').then(({ register }) => { register(); process.argv.push('--in-thread'); return import(${JSON.stringify(import.meta.url)}) })`
  const worker = new Worker(program, { eval: true, argv: process.argv.slice(2) })
  await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject))
  process.stdout.write(JSON.stringify(counts))
}
