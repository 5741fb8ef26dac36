/**
 * A terminal that shows a job's output beside what the host says. The job's output has no control
 * sequences there, and the host's lines begin in bold: so a job cannot print one of them.
 * @module
 */
import { StringDecoder } from 'node:string_decoder'
import { printable } from './printable.ts'

/** Where text goes: a terminal, or a file or pipe, which gets a job's bytes as they are. */
export interface Target {
  isTTY?: boolean
}

export interface Screen {
  /** Makes a function that turns the bytes of one of a job's streams into what is written for them. */
  ofJob(to: Target): (bytes: Buffer) => Buffer | string
  /** A line of the host: its beginning, which says whose it is, and text that may be a job's. */
  ofHost(to: Target, mark: string, text: string): string
}

const lineFeed = 0x0a

/** @param raw whether a job's control sequences reach the terminal, which may show anything then */
export function createScreen(raw = false): Screen {
  // Whether the job has begun a line that is not at its end.
  let isMidLine = false
  return {
    ofJob(to) {
      const decoder = new StringDecoder('utf8')
      return (bytes) => {
        if (!to.isTTY) return bytes
        if (bytes.length > 0) isMidLine = bytes.at(-1) !== lineFeed
        return raw ? bytes : printable(decoder.write(bytes).replaceAll('\t', '    '))
      }
    },
    ofHost(to, mark, text) {
      const line = `${marked(to, mark)} ${oneLine(text)}\n`
      if (!to.isTTY || !isMidLine) return line
      isMidLine = false
      return `\n${line}`
    },
  }
}

/** The beginning of a line of the host. */
export function marked({ isTTY }: Target, mark: string): string {
  return isTTY ? `\u001b[1m${mark}\u001b[22m` : mark
}

/** A second line in a text would look like a line of its own. */
function oneLine(text: string): string {
  return printable(text.replaceAll('\n', ' '))
}
