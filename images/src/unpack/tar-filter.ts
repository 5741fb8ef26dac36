/**
 * What of an archive reaches the extractor. Devices, fifos and set-id bits are taken out here,
 * because GNU tar has no option that does, and whatever it could read differently from us is
 * refused.
 *
 * @module
 */
import { ImageError } from '../image-error.ts'
import { readPaxRecords } from './pax-records.ts'
import { dropSetId, padded, readHeader, tarBlockBytes, type TarHeader } from './tar-header.ts'
import { bodyBytes, checkName, invalid, refuseGlobals, refuseSparse } from './tar-rules.ts'

/** Bounds on hostile archives; a full desktop distribution has 300,000 entries. */
const maxEntries = 1_000_000
const maxMetaBytes = 1 << 20

const noBytes = Buffer.alloc(0)

/** Passes a tar stream through in pieces, entry by entry. */
export class TarFilter {
  /** Body bytes (with padding) of the current entry that are still to come. */
  #bodyLeft = 0
  /** Beginning of a header that was cut by the end of a piece. */
  #partial: Buffer = noBytes
  /** Header of the long-name or pax entry whose body is being collected. */
  #metaHeader: TarHeader | undefined
  #metaBody: Buffer[] = []
  /** Such entries, whole, held back until the entry they describe is known to be kept. */
  #held: Buffer[] = []
  #names: string[] = []
  #paxSize: number | undefined
  #entries = 0
  #ended = false

  /**
   * Takes the next piece and gives what the extractor may see of it.
   *
   * @throws ImageError IMAGE_ARCHIVE_INVALID naming the entry, IMAGE_TOO_LARGE for too many
   */
  push(piece: Buffer): Buffer {
    const out: Buffer[] = []
    for (let at = 0; at < piece.length && !this.#ended;) {
      const rest = piece.subarray(at)
      at += this.#bodyLeft > 0 ? this.#takeBody(rest, out) : this.#takeHeader(rest, out)
    }
    return out.length === 1 ? (out[0] ?? noBytes) : Buffer.concat(out)
  }

  /**
   * Ends the archive.
   *
   * @returns its end mark
   * @throws ImageError IMAGE_ARCHIVE_INVALID when the archive had none, so was cut off
   */
  end(): Buffer {
    if (!this.#ended) throw invalid('the image archive is cut off: it has no end mark')
    return Buffer.alloc(2 * tarBlockBytes)
  }

  #takeBody(rest: Buffer, out: Buffer[]): number {
    const body = rest.subarray(0, this.#bodyLeft)
    this.#bodyLeft -= body.length
    if (this.#metaHeader === undefined) out.push(body)
    else this.#metaBody.push(body)
    if (this.#bodyLeft === 0) this.#endMeta()
    return body.length
  }

  #takeHeader(rest: Buffer, out: Buffer[]): number {
    const piece = rest.subarray(0, tarBlockBytes - this.#partial.length)
    const block = this.#partial.length === 0 ? piece : Buffer.concat([this.#partial, piece])
    this.#partial = block.length < tarBlockBytes ? block : noBytes
    if (block.length === tarBlockBytes) this.#onHeader(block, out)
    return piece.length
  }

  #onHeader(block: Buffer, out: Buffer[]): void {
    // One zero block ends an archive for GNU tar too; what follows is padding.
    if (isZero(block)) return void (this.#ended = true)
    const header = readHeader(block)
    if (++this.#entries > maxEntries) {
      throw new ImageError('IMAGE_TOO_LARGE', `the image has more than ${maxEntries} entries`)
    }
    if ('xgLK'.includes(header.type)) this.#beginMeta(block, header)
    else this.#onEntry(block, header, out)
  }

  #beginMeta(block: Buffer, header: TarHeader): void {
    if (header.size > maxMetaBytes) throw invalid('the image archive has an oversized name')
    this.#metaHeader = header
    this.#metaBody = [Buffer.from(block)]
    this.#bodyLeft = padded(header.size)
    if (this.#bodyLeft === 0) this.#endMeta()
  }

  #endMeta(): void {
    const header = this.#metaHeader
    if (header === undefined) return
    const raw = Buffer.concat(this.#metaBody)
    const body = raw.subarray(tarBlockBytes, tarBlockBytes + header.size)
    this.#metaHeader = undefined
    this.#metaBody = []
    if (header.type === 'L') this.#names.push(body.toString('utf8').replace(/\0.*$/s, ''))
    if (header.type === 'x') this.#onPax(readPaxRecords(body))
    if (header.type === 'g') refuseGlobals(readPaxRecords(body))
    else this.#held.push(raw)
  }

  #onPax(records: ReadonlyMap<string, string>): void {
    if ([...records.keys()].some((key) => key.startsWith('GNU.sparse'))) throw refuseSparse()
    const path = records.get('path')
    if (path !== undefined) this.#names.push(path)
    const size = records.get('size')
    if (size === undefined) return
    this.#paxSize = Number(size)
    if (!/^\d+$/.test(size) || !Number.isSafeInteger(this.#paxSize)) {
      throw invalid('the image archive is damaged: bad size in a pax record')
    }
  }

  #onEntry(block: Buffer, header: TarHeader, out: Buffer[]): void {
    const held = this.#held
    const names = [...this.#names, header.name]
    const paxSize = this.#paxSize
    this.#held = []
    this.#names = []
    this.#paxSize = undefined
    // Character device, block device, fifo: an image has no use for its own, the sandbox gives /dev.
    if ('346'.includes(header.type)) return
    for (const name of names) checkName(name)
    this.#bodyLeft = bodyBytes(block, header, paxSize, names)
    dropSetId(block)
    out.push(...held, block)
  }
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0)
}
