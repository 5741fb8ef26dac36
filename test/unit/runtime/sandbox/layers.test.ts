import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../runtime/src/config/config.ts'
import type { Controller } from '../../../../runtime/src/cgroup/mounts.ts'
import { memoryRemedy, namespacesRemedy } from '../../../../runtime/src/sandbox/remedies.ts'
import type { LauncherProbe } from '../../../../runtime/src/sandbox/launcher/launcher.ts'
import {
  chooseLayers,
  describeLayers,
  missingLayers,
  weakerRoot,
  type Layers,
} from '../../../../runtime/src/sandbox/layers.ts'

const whole: LauncherProbe = {
  namespaces: true,
  namespacesError: null,
  landlockAbi: 7,
  seccomp: true,
  filters: true,
}
const withoutNamespaces = { ...whole, namespaces: false, namespacesError: 'namespaces: no' }
const bare = { ...withoutNamespaces, landlockAbi: 0 }

const choose = (probe: LauncherProbe, isRoot: boolean, settings: object = {}) =>
  chooseLayers({ ...loadConfig(undefined).sandbox, ...settings }, probe, isRoot)

const rootsBest: Layers = {
  backend: 'proot',
  ownIds: true,
  namespaces: true,
  root: 'overlay',
  shiftsIds: true,
  landlock: true,
}
const usersBest: Layers = { ...rootsBest, ownIds: false, shiftsIds: false }

describe('layers', () => {
  test.for<{
    name: string
    probe: LauncherProbe
    isRoot: boolean
    settings?: object
    layers: Layers
  }>([
    { name: 'root with all', probe: whole, isRoot: true, layers: rootsBest },
    { name: 'a user with all', probe: whole, isRoot: false, layers: usersBest },
    {
      name: 'root with namespaces as backend: no tracer that would need Landlock',
      probe: whole,
      isRoot: true,
      settings: { backend: 'namespaces' },
      layers: { ...rootsBest, backend: 'namespaces', landlock: false },
    },
    {
      name: 'a user with namespaces as backend',
      probe: whole,
      isRoot: false,
      settings: { backend: 'namespaces' },
      layers: { ...usersBest, backend: 'namespaces', landlock: false },
    },
    {
      name: 'auto: namespaces for root',
      probe: whole,
      isRoot: true,
      settings: { backend: 'auto' },
      layers: { ...rootsBest, backend: 'namespaces', landlock: false },
    },
    {
      name: 'auto: PRoot for a user, who has one id only',
      probe: whole,
      isRoot: false,
      settings: { backend: 'auto' },
      layers: usersBest,
    },
    {
      name: 'auto: PRoot where there are no namespaces',
      probe: withoutNamespaces,
      isRoot: true,
      settings: { backend: 'auto' },
      layers: { ...rootsBest, namespaces: false, root: 'copy', shiftsIds: false },
    },
    {
      name: 'no Landlock beside namespaces',
      probe: { ...whole, landlockAbi: 0 },
      isRoot: true,
      layers: { ...rootsBest, landlock: false },
    },
    {
      name: 'the first Landlock, which forbids renames',
      probe: { ...whole, landlockAbi: 1 },
      isRoot: true,
      layers: { ...rootsBest, landlock: false },
    },
    {
      name: 'no namespaces, Landlock only',
      probe: withoutNamespaces,
      isRoot: false,
      layers: { ...usersBest, namespaces: false, root: 'copy' },
    },
    {
      name: 'only the filter, which the operator accepts',
      probe: bare,
      isRoot: false,
      settings: { insecure: true },
      layers: { ...usersBest, namespaces: false, root: 'copy', landlock: false },
    },
  ])('$name', ({ probe, isRoot, settings, layers }) => {
    expect(choose(probe, isRoot, settings)).toEqual(layers)
  })

  test.for<{ name: string; probe: LauncherProbe; settings?: object; says: string }>([
    { name: 'no filter', probe: { ...whole, seccomp: false }, says: 'no seccomp filters' },
    {
      name: 'no filter, insecure or not',
      probe: { ...whole, seccomp: false },
      settings: { insecure: true },
      says: 'no seccomp filters',
    },
    {
      name: 'namespaces that do not work here',
      probe: withoutNamespaces,
      settings: { backend: 'namespaces' },
      says: 'sandbox.backend = "namespaces": none here (namespaces: no)',
    },
    {
      name: 'namespaces that do not work here, insecure or not',
      probe: withoutNamespaces,
      settings: { backend: 'namespaces', insecure: true },
      says: 'sandbox.backend = "namespaces": none here (namespaces: no)',
    },
    {
      name: 'PRoot alone',
      probe: bare,
      says: 'this host has neither namespaces (namespaces: no) nor Landlock: PRoot alone does not keep jobs from your files; to run them anyway, set sandbox.insecure = true',
    },
    {
      name: 'PRoot and the first Landlock',
      probe: { ...withoutNamespaces, landlockAbi: 1 },
      says: 'nor Landlock: PRoot alone',
    },
  ])('refused: $name', ({ probe, settings, says }) => {
    for (const isRoot of [true, false]) {
      expect(() => choose(probe, isRoot, settings)).toThrow(
        expect.objectContaining({
          kind: 'SANDBOX_UNAVAILABLE',
          message: expect.stringContaining(says) as string,
        }) as Error,
      )
    }
  })
})

describe('a weaker root', () => {
  test('is first an overlay without shifted ids, then a copy, then none', () => {
    const second = weakerRoot(rootsBest)
    expect(second).toEqual({ ...rootsBest, shiftsIds: false })
    const third = weakerRoot(second!)
    expect(third).toEqual({ ...rootsBest, shiftsIds: false, root: 'copy' })
    expect(weakerRoot(third!)).toBeUndefined()
  })
})

describe('remedies', () => {
  const closedBy = (setting: string, value: string) => (path: string) =>
    path === `/proc/sys/${setting}` ? `${value}\n` : ''

  test.for([
    { setting: 'user/max_user_namespaces', value: '0', says: 'user.max_user_namespaces=15000' },
    {
      setting: 'kernel/unprivileged_userns_clone',
      value: '0',
      says: 'kernel.unprivileged_userns_clone=1',
    },
    {
      setting: 'kernel/apparmor_restrict_unprivileged_userns',
      value: '1',
      says: 'kernel.apparmor_restrict_unprivileged_userns=0',
    },
  ])('a user without namespaces is told the setting: $setting', ({ setting, value, says }) => {
    const words = namespacesRemedy(false, closedBy(setting, value))
    expect(words).toMatch(new RegExp(`: sysctl ${says}$`))
    expect(namespacesRemedy(false, closedBy(setting, '7'))).not.toContain('sysctl')
    expect(namespacesRemedy(true, closedBy(setting, value))).toContain('CAP_SYS_ADMIN')
  })

  test.for<{ offered: Controller[]; isRoot: boolean; says: string }>([
    { offered: ['pids'], isRoot: true, says: 'cgroup_enable=memory' },
    { offered: ['pids'], isRoot: false, says: 'cgroup_enable=memory' },
    { offered: ['memory'], isRoot: true, says: 'a /sys/fs/cgroup that it may write to' },
    { offered: ['memory'], isRoot: false, says: 'Delegate=yes' },
  ])('without memory groups, $offered, root $isRoot: $says', ({ offered, isRoot, says }) => {
    const words = memoryRemedy({ offered: new Set(offered) }, isRoot)
    expect(words).toContain(says)
    expect(words).not.toContain('user namespaces')
  })

  test('come with the error when too much is missing', () => {
    const root = () => choose(withoutNamespaces, true, { backend: 'namespaces' })
    expect(root).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('CAP_SYS_ADMIN') as string }),
    )
  })
})

describe('missing layers', () => {
  test('are none when all layers work', () => {
    expect(missingLayers(rootsBest, whole)).toEqual([])
    expect(missingLayers({ ...rootsBest, backend: 'namespaces', landlock: false }, whole)).toEqual(
      [],
    )
  })

  test.for([
    ['no namespaces', withoutNamespaces, [/^no namespaces for jobs \(namespaces: no\): .* \/tmp/]],
    [
      'no namespaces, and no scopes of Landlock',
      { ...withoutNamespaces, landlockAbi: 5 },
      [/can kill its tracer and see the host's files/],
    ],
    [
      'nothing at all',
      bare,
      [
        /^no namespaces.*can kill its tracer/,
        /^no Landlock: a job can read what its uid can read$/,
      ],
    ],
  ] as const)('%s', ([, probe, lines]) => {
    const found = missingLayers(choose(probe, false, { insecure: true }), probe)
    expect(found).toHaveLength(lines.length)
    for (const [index, line] of lines.entries()) expect(found[index]?.text).toMatch(line)
  })

  test('no overlays, in namespaces: each job starts with a copy', () => {
    const [found, ...others] = missingLayers({ ...rootsBest, root: 'copy' }, whole)
    expect(found?.text).toBe('no overlays: each job starts with a copy of its image')
    expect(found?.remedy).toMatch(/--state/)
    expect(others).toEqual([])
  })

  const proot = { program: '/p', version: '5.1.0', isAccelerated: false, missesStatx: true }
  test.for<[Layers, string]>([
    [rootsBest, 'PRoot 5.1.0 (own uid, namespaces, Landlock, seccomp, overlay)'],
    [
      { ...usersBest, namespaces: false, root: 'copy' },
      'PRoot 5.1.0 (your uid, Landlock, seccomp, copy)',
    ],
    [
      { ...rootsBest, backend: 'namespaces', landlock: false },
      'namespaces (own 65,536 uids, seccomp, overlay)',
    ],
    [
      { ...usersBest, backend: 'namespaces', landlock: false },
      'namespaces (your uid, seccomp, overlay)',
    ],
  ])('%#: its name', ([layers, name]) => {
    expect(describeLayers(layers, proot)).toBe(name)
  })
})
