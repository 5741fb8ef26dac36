/** What the `image` commands share: the store, and how a result is printed. @module */
import type { ImageStore, OnProgress, Owner } from '@causeway/images'
import { afterwards } from '@causeway/service/failure'
import { loadConfig } from '../../config/config.ts'
import { openImages, treeOwner } from '../../host/images.ts'
import { openState, type StateFolders } from '../../state/state-folders.ts'

import { showProgress } from '../print/image-progress.ts'
import { jsonLine, printable } from '../print/printable.ts'
import { abortOnSignals } from '../signals.ts'

/** Options of every `image` command. */
export interface ImageFlags {
  state?: string
  config?: string
  json?: boolean
  allowLocalImages?: boolean
}

/** What an `image` command works with. */
export interface ImageWork {
  images: ImageStore
  state: StateFolders
  /** Owner of unpacked images. */
  owner: Owner | undefined
  signal: AbortSignal
  onProgress: OnProgress
}

/**
 * Calls `work` with the store and prints its result: the document as JSON, or the text.
 * @param work returns a document for machines and a text for people
 */
export async function printImages(
  flags: ImageFlags,
  work: (parts: ImageWork) => Promise<{ document: unknown; text: string }>,
): Promise<void> {
  const progress = showProgress(process.stderr)
  try {
    const { document, text } = await withImages(flags, progress.report, work)
    progress.clear()
    process.stdout.write(flags.json ? jsonLine(document) : printable(text))
  } catch (error) {
    progress.clear()
    throw error
  }
}

async function withImages<T>(
  flags: ImageFlags,
  onProgress: OnProgress,
  work: (parts: ImageWork) => Promise<T>,
): Promise<T> {
  const config = loadConfig(flags.config)
  if (flags.allowLocalImages) config.images.allowLocal = true
  const state = openState(flags.state)
  const onWarning = (message: string) => void process.stderr.write(printable(`! ${message}\n`))
  const images = openImages({ config, state, onWarning })
  const parts = { images, state, owner: treeOwner(config), signal: abortOnSignals(), onProgress }
  return afterwards(work(parts), () => images.settled())
}
