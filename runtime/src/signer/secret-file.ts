/**
 * Reads files that hold secrets.
 * @module
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

const othersMayRead = 0o077

/**
 * The content of a plain file that only its owner may read and that is ours or root's.
 * @throws Error naming the file and what was wrong, never content
 */
export function readSecretFile(file: string, maxBytes: number): Buffer {
  // Not blocking: an open of a fifo would wait for ever.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    check(file, fstatSync(fd), maxBytes)
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

function check(file: string, found: Stats, maxBytes: number): void {
  const mode = found.mode & 0o777
  if (!found.isFile()) throw new Error(`${file}: expected a file, found something else`)
  if (mode & othersMayRead) {
    throw new Error(
      `${file}: expected mode 600, found ${mode.toString(8)}; other users could read it`,
    )
  }
  if (found.uid !== process.getuid?.() && found.uid !== 0) {
    throw new Error(
      `${file}: expected a file of uid ${process.getuid?.()} or root, found one of uid ${found.uid}`,
    )
  }
  if (found.size > maxBytes) {
    throw new Error(`${file}: expected at most ${maxBytes} bytes, found ${found.size}`)
  }
}
