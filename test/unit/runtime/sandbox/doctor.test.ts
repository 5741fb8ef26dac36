/** What `doctor` tells to do: what the check that failed says, not what another one would. */
import { afterEach, expect, test, vi } from 'vitest'
import type { CheckedHost } from '../../../../runtime/src/doctor/finding.ts'
import type { Sandbox } from '../../../../runtime/src/sandbox/sandbox.ts'

const sandbox = '../../../../runtime/src/sandbox/sandbox.ts'
const host = {
  config: { sandbox: {} },
  openState: () => ({ deployments: '/nowhere' }),
} as unknown as CheckedHost
const noMemory = { text: 'no memory control group', remedy: 'delegate one' }
const noNamespaces = { text: 'no namespaces', remedy: 'allow them' }

afterEach(() => vi.doUnmock(sandbox))

/** The checks of a host on which this is missing. */
async function look(missing: Sandbox['missing']) {
  vi.resetModules()
  const limits = { memory: 'not limited', processes: 'control group', storage: 'counted' }
  vi.doMock(sandbox, () => ({ openSandbox: async () => ({ name: 'PRoot', missing, limits }) }))
  const { confinementCheck } = await import('../../../../runtime/src/doctor/sandbox.ts')
  const { limitsCheck } = await import('../../../../runtime/src/doctor/resources.ts')
  return { confinement: await confinementCheck.look(host), limits: await limitsCheck.look(host) }
}

test('a missing memory group is a finding of the limits alone, with its remedy', async () => {
  expect(await look({ layers: [], limits: [noMemory] })).toEqual({
    confinement: { status: 'ok', detail: 'PRoot' },
    limits: {
      status: 'warning',
      detail:
        'memory: not limited, processes: control group, storage: counted; no memory control group',
      remedy: 'delegate one',
    },
  })
})

test('missing layers are findings of the confinement, each with its remedy, once', async () => {
  const other = { text: 'no Landlock', remedy: 'allow them' }
  const { confinement } = await look({ layers: [noNamespaces, other], limits: [] })
  expect(confinement).toEqual({
    status: 'warning',
    detail: 'PRoot; no namespaces; no Landlock',
    remedy: 'allow them',
  })
})
