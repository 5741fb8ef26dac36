/**
 * Compares both chains byte by byte, with each other and with a third program that shares no code.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { createAuditChain, type AuditChain, type AuditUse } from '@causeway/native'
import { errorCodes, signingCurves } from '@causeway/guest-sdk/protocol'
import { auditedMethods } from '../../../../runtime/src/audit/log-writer.ts'
import { createPortableChain } from '../../../../runtime/src/audit/portable-chain.ts'
import { auditKey } from '../../../support/audit-fixture.ts'
import { test } from '../../../support/folder-fixture.ts'

const outcomes = Object.keys(errorCodes)
const words = [...auditedMethods, ...signingCurves, ...outcomes]
const start = { words, key: auditKey, seq: 0, hash: new Uint8Array(32) }
const chains = [
  { name: 'native', create: createAuditChain },
  { name: 'portable', create: createPortableChain },
]

/** A seeded generator, so that a failure can be repeated. */
function randomSource(seed: number) {
  let state = seed
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const of = <T>(values: readonly T[]): T => values[next(values.length)]!
  return { next, of }
}

const paths = [
  'm',
  'm/0/1',
  "m/44'/60h/0H/0/2147483647",
  `m${"/2147483647'".repeat(10)}`,
  'm/"},{"seq":1',
  'm/\n\u0000\\é漢😀',
  `m${'/1'.repeat(100)}`,
  '',
]

function randomUse({ next, of }: ReturnType<typeof randomSource>): AuditUse {
  const input = Buffer.alloc(of([0, 1, 31, 32, 33, 64, 1000]), next(256))
  return {
    method: of(auditedMethods),
    curve: of(signingCurves),
    pid: of([1, 4194304, next(1 << 22), -1]),
    ...(next(2) && { path: of(paths) }),
    ...(next(4) && { input }),
    ...(next(4) === 0 && { outcome: of(outcomes) }),
  }
}

interface Run {
  chain: AuditChain
  log: string
  head: string
  close: () => void
}

function open(folder: string, { name, create }: (typeof chains)[number]): Run {
  const [log, head] = [join(folder, `${name}.log`), join(folder, `${name}.head`)]
  const [logFd, headFd] = [openSync(log, 'a'), openSync(head, 'w')]
  const chain = create(start)
  chain.useFiles({ logFd, headFd, logSize: 0 })
  const close = () => {
    chain.destroy()
    for (const fd of [logFd, headFd]) closeSync(fd)
  }
  return { chain, log, head, close }
}

/** Reads a log by its documentation alone; written for this test only. */
const independentReader = `
import hashlib, hmac, json, sys
previous, count = bytes(32), 0
for line in open(sys.argv[1], 'rb'):
    body, mark, end = line.rpartition(b',"hash":"')
    previous = hashlib.sha256(previous + body).digest()
    count += 1
    assert end == previous.hex().encode() + b'"}\\n', count
    assert json.loads(line)['seq'] == count, count
head = open(sys.argv[2], 'rb').read()
assert len(head) == 256 and head.endswith(b' \\n')
facts = json.loads(head)
message = b'causeway-audit-head/v1' + count.to_bytes(8, 'big') + (3).to_bytes(8, 'big') + previous
mac = hmac.new(bytes.fromhex(sys.argv[3]), message, 'sha256').hexdigest()
assert facts == {'seq': count, 'oldest': 3, 'hash': previous.hex(), 'mac': mac}
print(count)
`

describe('chains', () => {
  test('12,000 random uses and events are the same bytes in both', ({ folder }) => {
    const runs = chains.map((kind) => open(folder, kind))
    for (const { chain } of runs) chain.setOldest(3)
    const source = randomSource(20251120)
    for (let index = 0; index < 12_000; index++) {
      const use = randomUse(source)
      const isEvent = source.next(50) === 0
      const event = { event: 'opened', text: source.of(paths), nested: { list: [1, null] } }
      const isCommit = source.next(10) === 0
      for (const { chain } of runs) {
        const isAdded = isEvent ? chain.appendEvent(index, event) : chain.append(index, use)
        expect(isAdded).toBe(true)
        if (isCommit) chain.commit()
      }
    }
    const sizes = runs.map(({ chain }) => chain.commit(true))
    for (const { close } of runs) close()
    const [native, portable] = runs.map(({ log, head }) => [
      readFileSync(log, 'latin1'),
      readFileSync(head, 'latin1'),
    ])
    expect(native![0]!.length).toBe(sizes[0])
    expect(sizes[0]).toBe(sizes[1])
    // Not toEqual: it would print megabytes.
    expect(native![0] === portable![0]).toBe(true)
    expect(native![1]).toBe(portable![1])
    const { log, head } = runs[0]!
    const args = ['-c', independentReader, log, head, auditKey.toString('hex')]
    expect(execFileSync('python3', args, { encoding: 'utf8' })).toBe('12000\n')
  })

  describe.each(chains)('$name', (kind) => {
    test('a line has only the members that apply', ({ folder }) => {
      const { chain, log, head, close } = open(folder, kind)
      const digest = Buffer.from('digest')
      chain.append(5, { method: 'signer_publicKey', curve: 'ed25519', pid: 9 })
      chain.append(6, {
        method: 'signer_sign',
        curve: 'secp256k1',
        path: 'm/0/1',
        input: digest,
        pid: 10,
        outcome: 'UNAVAILABLE',
      })
      chain.appendEvent(7, { event: 'opened', deployment: 'a"\n}' })
      expect(chain.seq).toBe(3)
      expect(readFileSync(log, 'utf8')).toBe('')
      chain.commit()
      close()
      const bodies = readFileSync(log, 'utf8').replaceAll(/,"hash":"[0-9a-f]{64}"\}/g, '')
      const sha256 = createHash('sha256').update(digest).digest('hex')
      expect(bodies.split('\n')).toEqual([
        '{"seq":1,"time":5,"method":"signer_publicKey","curve":"ed25519","pid":9',
        `{"seq":2,"time":6,"method":"signer_sign","curve":"secp256k1","path":"m/0/1","sha256":"${sha256}","pid":10,"outcome":"UNAVAILABLE"`,
        '{"seq":3,"time":7,"event":"opened","deployment":"a\\"\\n}"',
        '',
      ])
      expect(readFileSync(head, 'utf8')).toMatch(/^\{"seq":3,.*"\} +\n$/)
    })

    test('a path cannot end its string', ({ folder }) => {
      const { chain, log, close } = open(folder, kind)
      const use = { method: 'signer_sign', curve: 'secp256k1', pid: 1 }
      chain.append(1, { ...use, path: 'm/0","pid":2}\n{"' })
      chain.append(1, { ...use, path: `m/${'1'.repeat(200)}` })
      chain.commit()
      close()
      const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
      const shown = lines.map((line) => (JSON.parse(line) as { path: string }).path)
      expect(shown).toEqual(['m/0????????2????', `m/${'1'.repeat(126)}`])
    })

    test('a full disk keeps everything for the next try', ({ folder }) => {
      const { chain, log, head, close } = open(folder, kind)
      const full = openSync('/dev/full', 'a')
      const headFd = openSync(head, 'r+')
      chain.useFiles({ logFd: full, headFd, logSize: 0 })
      chain.append(1, { method: 'signer_sign', curve: 'p256', pid: 1 })
      for (let tries = 0; tries < 3; tries++) {
        expect(() => chain.commit()).toThrow(expect.objectContaining({ code: 'ENOSPC' }))
      }
      expect(readFileSync(head, 'utf8')).toBe('')
      const logFd = openSync(log, 'a')
      chain.useFiles({ logFd, headFd, logSize: 0 })
      expect(chain.commit()).toBe(readFileSync(log).length)
      expect(readFileSync(log, 'utf8').split('\n').length).toBe(2)
      expect(readFileSync(head, 'utf8')).toContain('{"seq":1,')
      close()
      for (const fd of [full, headFd, logFd]) closeSync(fd)
    })

    test('a head that cannot be written fails the commit, and the next commit writes it', ({
      folder,
    }) => {
      const { chain, log, head, close } = open(folder, kind)
      const logFd = openSync(log, 'a')
      const full = openSync('/dev/full', 'r+')
      chain.useFiles({ logFd, headFd: full, logSize: 0 })
      chain.append(1, { method: 'signer_sign', curve: 'p256', pid: 1 })
      expect(() => chain.commit()).toThrow(expect.objectContaining({ code: 'ENOSPC' }))
      const size = readFileSync(log).length
      const headFd = openSync(head, 'r+')
      chain.useFiles({ logFd, headFd, logSize: size })
      expect(chain.commit()).toBe(size)
      expect(readFileSync(log).length).toBe(size)
      expect(readFileSync(head, 'utf8')).toContain('{"seq":1,')
      close()
      for (const fd of [full, headFd, logFd]) closeSync(fd)
    })

    test('pending lines are limited', ({ folder }) => {
      const { chain, log, close } = open(folder, kind)
      const use = { method: 'signer_sign', curve: 'p256', input: Buffer.alloc(32), pid: 1 }
      let added = 0
      while (chain.append(1, use)) added++
      expect(added).toBeGreaterThan(1000)
      expect(chain.seq).toBe(added)
      expect(chain.appendEvent(1, { event: 'closed' })).toBe(false)
      const size = chain.commit()
      expect(size).toBeLessThan(1024 * 1024 + 300)
      expect(chain.append(1, use)).toBe(true)
      chain.commit()
      close()
      expect(readFileSync(log, 'utf8').split('\n').length).toBe(added + 2)
    })

    test('a chain continues where another ended', ({ folder }) => {
      const { chain, log, close } = open(folder, kind)
      const use = { method: 'signer_sign', curve: 'p256', pid: 1 }
      for (const time of [1, 2, 3]) chain.append(time, use)
      chain.commit()
      close()
      const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
      const { hash } = JSON.parse(lines[1]!) as { hash: string }
      const again = kind.create({ ...start, seq: 2, hash: Buffer.from(hash, 'hex') })
      const other = join(folder, 'other.log')
      writeFileSync(other, '')
      const [logFd, headFd] = [openSync(other, 'a'), openSync(join(folder, 'other.head'), 'w')]
      again.useFiles({ logFd, headFd, logSize: 0 })
      again.append(3, use)
      again.commit()
      expect(readFileSync(other, 'utf8')).toBe(`${lines[2]}\n`)
      for (const fd of [logFd, headFd]) closeSync(fd)
    })
  })

  test('the native chain checks its options', () => {
    const bad = [
      { ...start, key: new Uint8Array(31) },
      { ...start, hash: new Uint8Array(33) },
      { ...start, seq: -1 },
      { ...start, seq: 0.5 },
      { ...start, words: ['a"b'] },
    ]
    for (const options of bad) expect(() => createAuditChain(options)).toThrow(/must be/)
    const chain = createAuditChain(start)
    const unknown = { method: 'signer_other', curve: 'p256', pid: 1 }
    expect(() => chain.append(1, unknown)).toThrow('"signer_other" is none of')
    expect(() => chain.useFiles({ logFd: -1, headFd: 1, logSize: 0 })).toThrow('logFd')
  })

  test('a destroyed native chain throws and does not crash', () => {
    const chain = createAuditChain(start)
    chain.destroy()
    expect(chain.append(1, { method: 'signer_sign', curve: 'p256', pid: 1 })).toBe(false)
    expect(() => chain.commit()).toThrow('EBADF')
    chain.destroy()
  })
})
