/**
 * The pipe from an archive to files: decompressor, byte meter, filter, GNU tar; and, when it
 * breaks, which of them was to blame.
 *
 * @module
 */
import { pipeline } from 'node:stream/promises'
import { ImageError, errorText } from '../image-error.ts'
import {
  describeExit,
  isBrokenPipe,
  startTool,
  type Tool,
  type ToolExit,
  type ToolOptions,
} from '../tool.ts'
import type { ArchiveFormat } from './archive-format.ts'
import { cannotUnpack, startDecoder } from './decoder.ts'
import { TarFilter } from './tar-filter.ts'

/** An archive to be read once. */
export interface Archive {
  format: ArchiveFormat
  chunks: AsyncIterable<Buffer>
}

/** Exact modes (set-id bits are already filtered out), no owners, folders' modes at the very end. */
const tarArgs = ['-x', '-p', '--no-same-owner', '--delay-directory-restore', '-f', '-']

/**
 * Extracts the archive into `where.cwd` as `where.uid`; returns when every child has ended.
 *
 * @returns the uncompressed size in bytes
 * @throws as unpackImage
 */
export async function extract(
  archive: Archive,
  where: ToolOptions,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const tar = startTool('tar', tarArgs, where)
  tar.stdout.resume()
  const decoder = startDecoder(archive.format, archive.chunks, { ...where, cwd: '/' })
  const tools = decoder.tool === undefined ? [tar] : [tar, decoder.tool]
  const meter = { bytes: 0, maxBytes }
  const flow = pipeline(filtered(metered(decoder.output, meter)), tar.stdin)
  const error = await stopOnError(flow, decoder.fed, tools, signal)
  const tarExit = await tar.exit
  signal?.throwIfAborted()
  throwFailure(tarExit, error)
  return meter.bytes
}

/** Waits for every part to end; an error or an abort ends all tools. */
async function stopOnError(
  flow: Promise<void>,
  fed: Promise<void>,
  tools: readonly Tool[],
  signal: AbortSignal | undefined,
): Promise<Error | undefined> {
  const killAll = () => tools.forEach((tool) => tool.kill())
  signal?.addEventListener('abort', killAll, { once: true })
  if (signal?.aborted === true) killAll()
  const flowError = await errorOf(flow)
  if (flowError !== undefined) killAll()
  const feedError = await errorOf(fed)
  await Promise.allSettled(tools.map((tool) => tool.exit))
  signal?.removeEventListener('abort', killAll)
  return flowError ?? feedError
}

function errorOf(promise: Promise<void>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(errorText(error))),
  )
}

/** What came before tar speaks first: it sees only the consequences. */
function throwFailure(tar: ToolExit, error: Error | undefined): void {
  if (error !== undefined && !isBrokenPipe(error)) throw error
  // The filter sends the end mark last: a tar that ended well has everything.
  if (tar.code !== 0) throw tarFailure(tar)
}

function tarFailure(exit: ToolExit): ImageError {
  const line = describeExit(exit)
  if (!/No space left on device|Disk quota exceeded|Wrote only/.test(line)) {
    return cannotUnpack(line)
  }
  return new ImageError('IMAGE_TOO_LARGE', `the disk is full: ${line}`)
}

async function* metered(
  input: AsyncIterable<Buffer>,
  meter: { bytes: number; maxBytes: number },
): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    meter.bytes += chunk.length
    if (meter.bytes > meter.maxBytes) {
      throw new ImageError('IMAGE_TOO_LARGE', `the image unpacks to over ${meter.maxBytes} bytes`)
    }
    yield chunk
  }
}

async function* filtered(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const filter = new TarFilter()
  for await (const chunk of input) {
    const kept = filter.push(chunk)
    if (kept.length > 0) yield kept
  }
  yield filter.end()
}
