/**
 * Opens all files of a log as of one moment: a running bridge may start new files and remove old
 * ones meanwhile.
 * @module
 */
import { closeSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { listSegments, logName } from '../files/folder.ts'
import { openPlain } from '../files/plain-file.ts'

export interface OpenFile {
  name: string
  fd: number
}

const maxTries = 100

/** Oldest first; the caller closes them. @throws Error when the files keep changing */
export function openSnapshot(folder: string): OpenFile[] {
  for (let tries = 0; tries < maxTries; tries++) {
    const names = namesIn(folder)
    const files = names.flatMap((name) => openIfThere(folder, name))
    if (files.length === names.length && namesIn(folder).join() === names.join()) return files
    closeAll(files)
  }
  throw new Error(`${folder}: files keep appearing and disappearing`)
}

export function closeAll(files: readonly OpenFile[]): void {
  for (const { fd } of files) closeSync(fd)
}

function namesIn(folder: string): string[] {
  const segments = listSegments(folder).map(({ name }) => name)
  return existsSync(join(folder, logName)) ? [...segments, logName] : segments
}

function openIfThere(folder: string, name: string): OpenFile[] {
  const fd = openPlain(join(folder, name))
  return fd === undefined ? [] : [{ name, fd }]
}
