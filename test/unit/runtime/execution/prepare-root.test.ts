/** A root of an earlier attempt that cannot be used again. */
import { expect, test } from 'vitest'
import { parseManifest } from '@causeway/manifest'
import { loadConfig } from '../../../../runtime/src/config/config.ts'
import { StartError } from '../../../../runtime/src/errors/start-error.ts'
import { prepareRoot, type RootParts } from '../../../../runtime/src/execution/prepare-root.ts'
import { thrownBy } from '../../../support/thrown.ts'

const image = { url: 'https://example.com/image.tar.xz', sha256: '0'.repeat(64) }
const text = JSON.stringify({ version: '1', name: 'job', entrypoint: 'job.sh', image })

/** Tries to mount with one failure after the other. @returns what was done, and the last failure */
async function attempt(...failures: readonly string[]) {
  const steps: string[] = []
  const left = [...failures]
  const parts: RootParts = {
    host: { config: loadConfig(undefined), sandbox: {} as RootParts['host']['sandbox'] },
    request: {
      folder: '/nowhere',
      signal: new AbortController().signal,
      onEvent: (event) => steps.push(event.type === 'warning' ? event.message : event.type),
    },
    manifest: parseManifest(text, 'manifest.json').manifest,
    place: { discardRoot: async () => void steps.push('discard') },
    files: {} as RootParts['files'],
    async mount() {
      steps.push('mount')
      throw new StartError('SANDBOX_UNAVAILABLE', left.shift()!)
    },
  }
  const error = (await thrownBy(() => prepareRoot(parts))) as Error
  return { steps, last: error.message }
}

test.for([
  'bridge-launch: layer /jobs/1/storage/work: Bad message',
  'bridge-launch: storage /jobs/1/storage: Structure needs cleaning',
  'bridge-launch: overlay: Stale file handle',
])('%s: is replaced by a new one, once', async (damage) => {
  const { steps, last } = await attempt(damage, 'the second failure')
  expect(steps).toEqual([
    'mount',
    `the root cannot be used again (${damage}): the job gets a new one, and what it wrote is lost`,
    'discard',
    'mount',
  ])
  expect(last).toBe('the second failure')
})

test.for([
  'bridge-launch: layer /jobs/1/upper: No space left on device',
  'bridge-launch: storage: loop device: Too many open files',
  'bridge-launch: namespaces: Operation not permitted',
  'the launcher ended',
])('%s: says nothing about the root', async (failure) => {
  expect(await attempt(failure)).toEqual({ steps: ['mount'], last: failure })
})
