/**
 * Chooses what decompresses an archive: this process for gzip (zlib is faster than any program),
 * the host's programs for xz and zstd, with bounded memory whatever the archive asks for.
 *
 * @module
 */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { ImageError } from '../image-error.ts'
import type { ArchiveFormat } from './archive-format.ts'

interface DecoderProgram {
  name: string
  /** Debian package, for the command to type. */
  package: string
  args: readonly string[]
}

/** `xz -9` needs 65 MiB to decompress, `zstd -19` 8 MiB; -T0 uses the blocks of a large xz. */
const programs: Readonly<Partial<Record<ArchiveFormat, DecoderProgram>>> = {
  'tar.xz': {
    name: 'xz',
    package: 'xz-utils',
    args: ['-dc', '-T0', '--memlimit-decompress=256MiB', '--memlimit-mt-decompress=256MiB'],
  },
  'tar.zst': { name: 'zstd', package: 'zstd', args: ['-dcq', '--memory=256MB'] },
}

const folders = ['/usr/bin', '/bin', '/usr/local/bin']

/**
 * The command that decompresses `format` from stdin to stdout, with the program's absolute path;
 * empty when none is needed.
 *
 * @throws ImageError IMAGE_BUILD_FAILED when the program is not installed
 */
export async function decoderCommand(format: ArchiveFormat): Promise<readonly string[]> {
  const program = programs[format]
  if (program === undefined) return []
  for (const folder of folders) {
    const path = `${folder}/${program.name}`
    if (await isExecutable(path)) return [path, ...program.args]
  }
  const message = `${program.name} is not installed; type: apt-get install ${program.package}`
  throw new ImageError('IMAGE_BUILD_FAILED', message)
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
