/**
 * Limits how many queries run at once: each has a descriptor, and jobs decide how many there are.
 *
 * A purpose gets at most a share of the free places, so the next purpose finds a free one, however
 * many others wait for a resolver that never answers.
 * @module
 */

/**
 * Runs `run` as soon as a place is free, unless the signal aborts. Runs with the same signal belong
 * to one purpose: they start in their order, and the purpose with the fewest running goes first.
 */
export type SocketLimit = <T>(signal: AbortSignal, run: () => Promise<T>) => Promise<T>

/** The running and waiting runs of one purpose. */
interface Purpose {
  running: number
  /** The first one has waited longest. */
  waiting: Set<() => void>
}

const shareOfFree = 1 / 8

export function createSocketLimit(most: number): SocketLimit {
  const purposes = new WeakMap<AbortSignal, Purpose>()
  /** Purposes with waiting runs; the one served last comes last. */
  const inLine = new Set<Purpose>()
  let free = most
  const mayRun = ({ running }: Purpose) =>
    free > 0 && running < Math.max(1, Math.floor(free * shareOfFree))

  function purposeOf(signal: AbortSignal): Purpose {
    const purpose = purposes.get(signal) ?? { running: 0, waiting: new Set() }
    purposes.set(signal, purpose)
    return purpose
  }

  function take(purpose: Purpose): void {
    free--
    purpose.running++
  }

  function giveBack(purpose: Purpose): void {
    free++
    purpose.running--
    for (let next = fewest(inLine); next && mayRun(next); next = fewest(inLine)) {
      take(next)
      letFirstIn(next, inLine)
    }
  }

  return async (signal, run) => {
    signal.throwIfAborted()
    const purpose = purposeOf(signal)
    if (purpose.waiting.size === 0 && mayRun(purpose)) take(purpose)
    else await waitIn(inLine, purpose, signal)
    try {
      return await run()
    } finally {
      giveBack(purpose)
    }
  }
}

/** The purpose with the fewest running; among equals, the one that was served longest ago. */
function fewest(purposes: ReadonlySet<Purpose>): Purpose | undefined {
  let found: Purpose | undefined
  for (const one of purposes) if (!found || one.running < found.running) found = one
  return found
}

function waitIn(inLine: Set<Purpose>, purpose: Purpose, signal: AbortSignal): Promise<void> {
  const { waiting } = purpose
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      waiting.delete(enter)
      if (waiting.size === 0) inLine.delete(purpose)
      reject(signal.reason as Error)
    }
    waiting.add(enter)
    inLine.add(purpose)
    signal.addEventListener('abort', leave, { once: true })
  })
}

function letFirstIn(purpose: Purpose, inLine: Set<Purpose>): void {
  const [enter] = purpose.waiting
  purpose.waiting.delete(enter!)
  inLine.delete(purpose)
  if (purpose.waiting.size > 0) inLine.add(purpose)
  enter!()
}
