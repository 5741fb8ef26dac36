/** Reads a file that an operator named. @module */
import { readFile, realpath, stat } from 'node:fs/promises'
import { maxDocumentBytes } from '@causeway/manifest'
import { foundInstead } from '@causeway/service/failure'
import { StartError } from '../errors/start-error.ts'

/** A text file and its real path. */
export interface InputFile {
  path: string
  text: string
}

/**
 * Reads a JSON file of at most 1 MiB.
 * @param what the expected kind of file, for the message
 * @throws StartError INPUT_UNREADABLE naming the file
 */
export async function readInputFile(file: string, what: string): Promise<InputFile> {
  try {
    const path = await realpath(file)
    await checkFile(path)
    return { path, text: await readFile(path, 'utf8') }
  } catch (cause) {
    if (cause instanceof StartError) throw cause
    const message = `${file}: expected ${what}, found ${foundInstead(cause)}`
    throw new StartError('INPUT_UNREADABLE', message, { cause })
  }

  async function checkFile(path: string): Promise<void> {
    const found = await stat(path)
    const wrong = found.isFile()
      ? found.size > maxDocumentBytes &&
        `${found.size} bytes, over the limit of ${maxDocumentBytes}`
      : 'a folder or special file'
    if (wrong) throw new StartError('INPUT_UNREADABLE', `${file}: expected ${what}, found ${wrong}`)
  }
}
