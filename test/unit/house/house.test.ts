import { describe, expect, test } from 'vitest'
import { faultsOf, readSources } from '../../support/house.ts'

const house = readSources()

/** The house with one more file, or another text in the place of one that is there. */
function withFile(path: string, text: string) {
  return faultsOf(new Map([...house, [path, text]]))
}

describe('the house', () => {
  test('keeps its rules', () => {
    expect(faultsOf(house)).toEqual([])
  })

  test.each([
    ['runtime/src/signer/stray.ts', "import { openBridge } from '../host/bridge.ts'\n"],
    ['runtime/src/network/stray.ts', "import type { Keyring } from '../signer/keyring.ts'\n"],
    ['images/src/stray.ts', "const room = await import('@causeway/runtime')\n"],
    ['service/src/dns/stray.ts', "export * from '@causeway/images'\n"],
    ['runtime/src/cli/stray.ts', "import { seal } from '../../../service/src/protocol/seal.ts'\n"],
  ])('shows a wrong arrow from %s', (path, text) => {
    const [, target] = /'([^']+)'/.exec(text)!
    const fault = expect.stringMatching(
      new RegExp(`^${path}: imports .*${target!.split('/').at(-1)}`),
    )
    expect(withFile(path, text)).toContainEqual(fault)
  })

  test('shows a circle, also one of types', () => {
    const text = `${house.get('runtime/src/state/host-folder.ts')!}
import type { Two } from './two.ts'`
    const both = new Map([...house, ['runtime/src/state/host-folder.ts', text]])
    both.set('runtime/src/state/two.ts', "import { sharedFolder } from './host-folder.ts'\n")
    expect(faultsOf(both)).toEqual([
      'circle: runtime/src/state/host-folder.ts → runtime/src/state/two.ts → runtime/src/state/host-folder.ts',
    ])
  })

  test('shows a stray file and a room that is not in the plan', () => {
    expect(withFile('runtime/src/utils.ts', '')).toEqual([
      'runtime/src/utils.ts: stray, expected a room of test/support/house.ts',
    ])
    expect(withFile('runtime/src/attic/a.ts', '')).toEqual([
      'runtime/src/attic: stray, expected a room of test/support/house.ts',
    ])
  })

  test('shows a folder of too many files, and a door of too many names', () => {
    const many = Array.from({ length: 17 }, (_, at) => [`manifest/src/many/${at}.ts`, ''] as const)
    expect(faultsOf(new Map([...house, ...many]))).toEqual([
      'manifest/src/many: 17 files, expected at most 16',
    ])
    const names = Array.from({ length: 26 }, (_, at) => `name${at}`).join(', ')
    const text = `import { ${names} } from '../cgroup/limits.ts'\n`
    const [fault] = withFile('runtime/src/sandbox/many.ts', text)
    expect(fault).toMatch(/^runtime\/src\/cgroup: \d+ names go out, expected at most 25$/)
  })
})
