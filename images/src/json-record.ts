/** Reads the records that lie beside archives and trees. @module */
import { readFile } from 'node:fs/promises'
import { noneOn } from '@causeway/service/failure'

/**
 * Reads a record of ours.
 *
 * @returns undefined when there is none; a power cut can truncate one, which counts as none
 */
export async function readJsonRecord<T>(path: string): Promise<Partial<T> | undefined> {
  const text = await readFile(path, 'utf8').catch(noneOn('ENOENT', 'ENOTDIR'))
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Partial<T>)
  } catch {
    return undefined
  }
}
