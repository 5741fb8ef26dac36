/**
 * A real distribution to unpack: Debian's minbase, as GNU tar packs it.
 * @module
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oneAtATime } from './one-at-a-time.ts'

const run = promisify(execFile)

/** Why a test of it may have to skip. */
export const needsMinbase = 'needs root and debootstrap, which makes devices'

/** True where {@link minbaseTar} can make it. */
export const canMakeMinbase =
  process.getuid?.() === 0 && spawnSync('sh', ['-c', 'command -v debootstrap']).status === 0

/** The uncompressed archive, made once on this machine by the host's own mirror; about 170 MB. */
export async function minbaseTar(): Promise<string> {
  const path = join(tmpdir(), 'causeway-test-minbase-bookworm.tar')
  await oneAtATime(`${path}.lock`, async () => {
    if (!existsSync(path)) await make(path)
  })
  return path
}

async function make(path: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-test-minbase-'))
  try {
    const root = join(folder, 'root')
    const made = join(folder, 'made.tar')
    await run('debootstrap', ['--variant=minbase', 'bookworm', root], { maxBuffer: 1 << 26 })
    await rm(join(root, 'var/cache/apt/archives'), { recursive: true })
    await run('tar', ['-C', root, '--numeric-owner', '-cf', made, '.'])
    await rename(made, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
