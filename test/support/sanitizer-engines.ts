/**
 * Engines that answer in every way, also in wrong ones: late, twice, never, or with unknown tags.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers'
import type { BridgeEngine, EngineLimits, startBridgeEngine } from '@causeway/native'

/** The exports of a build of the addon. */
export interface NativeFace {
  startBridgeEngine: typeof startBridgeEngine
}

const wide: EngineLimits = {
  maxLineBytes: 100_000,
  lineTimeoutMs: 500,
  maxConnections: Infinity,
  maxBufferedBytes: Infinity,
  sendTimeoutMs: 10_000,
  maxDrainBytes: 1 << 20,
  drainTimeoutMs: 200,
}
const tight: EngineLimits = {
  maxLineBytes: 1000,
  lineTimeoutMs: 100,
  maxConnections: 8,
  maxBufferedBytes: 3 << 20,
  sendTimeoutMs: 100,
  maxDrainBytes: 65_536,
  drainTimeoutMs: 50,
}

/** Limits by which the same clients end differently. */
export const limitSets = [wide, tight, { ...tight, maxConnections: 64, drainTimeoutMs: 0 }]

const notices = {
  lineTooLong: 'too long',
  lineTooLate: 'too late',
  onlyBlankLines: 'only blank lines',
  tooManyConnections: 'too many',
  buffersFull: 'full',
  peerRejected: 'rejected',
}

// One reply larger than a socket's buffer; others around the length that needs no allocation.
const big = 'b'.repeat(1_500_000)
const texts = [0, 1, 8185, 8186, 8187, 8188, 8189, 8190, 8191, 8192, 8193].flatMap((length) => [
  'a'.repeat(length),
  `${'a'.repeat(length)}é€😀\ud800`,
])

/** A listening engine that admits this user. */
export function startEngine(face: NativeFace, limits: EngineLimits, name: string = randomUUID()) {
  const refused: Record<string, number> = {}
  const engine = face.startBridgeEngine({
    name,
    limits,
    notices,
    onLine: (line, _peer, tag) => answer(engine, line.toString().trim(), tag),
    onLinesEnd: () => {},
    onRefusal: ({ reason, count }) => (refused[reason] = (refused[reason] ?? 0) + count),
  })
  engine.admit({ by: 'uid', uid: process.getuid?.() ?? 0 })
  return { name, engine, refused }
}

function answer(engine: BridgeEngine, line: string, tag: number): void {
  answerWrongly(engine, tag)
  if (line.includes('judge') && engine.judgeAgain(tag)) engine.reply(tag, 'not any more')
  else if (line.includes('later')) replyLater(engine, tag, line.includes('big') ? big : 'later')
  else engine.reply(tag, textFor(line))
  if (line === 'twice') engine.reply(tag, 'again')
}

function textFor(line: string): string | undefined {
  if (line === 'silent') return undefined
  if (line === 'big') return big
  return line === 'text' ? texts[Math.floor(Math.random() * texts.length)] : `"${line}"`
}

function replyLater(engine: BridgeEngine, tag: number, text: string): void {
  const delayMs = Math.floor(Math.random() * 20)
  if (delayMs < 10) setImmediate(() => engine.reply(tag, text))
  else setTimeout(() => engine.reply(tag, text), delayMs)
}

/** Tags of other connections, unknown tags, and numbers that are no tags. */
function answerWrongly(engine: BridgeEngine, tag: number): void {
  const wrong = [tag + 1e6, -1, NaN, Infinity, 2 ** 53, 2 ** 60, 0.5, Math.random() * 2 ** 53]
  for (const other of wrong) {
    engine.reply(other, 'for nobody')
    engine.judgeAgain(other)
  }
}
