import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder that other users may enter; it is removed when disposed. */
export async function temporaryFolder(
  parent = tmpdir(),
): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(parent, 'causeway-test-'))
  await chmod(path, 0o755)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
