/**
 * Which arguments and environment every process shows to other processes.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export interface ProcessWords {
  /** Places where a word was seen. */
  hits: Set<string>
  /** Command lines that were read. */
  seen: Set<string>
}

/** Watches until `run` is over. */
export async function watchProcesses<T>(
  words: readonly string[],
  run: () => Promise<T>,
): Promise<ProcessWords & { result: T }> {
  const found: ProcessWords = { hits: new Set(), seen: new Set() }
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      lookOnce(words, found)
      await pause(1)
    }
  })()
  try {
    return { result: await run(), ...found }
  } finally {
    isOver = true
    await looking
  }
}

function lookOnce(words: readonly string[], { hits, seen }: ProcessWords): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const file of ['cmdline', 'environ']) {
      const text = contentOf(`/proc/${pid}/${file}`)
      if (file === 'cmdline') seen.add(text.replaceAll('\0', ' '))
      for (const word of words) if (text.includes(word)) hits.add(`/proc/${pid}/${file}`)
    }
  }
}

/** Empty for a process that is gone or closed to this user. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
