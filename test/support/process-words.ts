/**
 * What every process of the machine shows of itself to others: its arguments and environment.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export interface ProcessWords {
  /** Places where one of the words was seen. */
  hits: Set<string>
  /** Command lines that were looked at. */
  seen: Set<string>
}

/** Looks until `run` is over. */
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

/** Empty for a process that is gone or that others may not look at. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
