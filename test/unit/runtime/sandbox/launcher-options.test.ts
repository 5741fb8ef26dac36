import { describe, expect, test } from 'vitest'
import { nativePaths } from '@causeway/native'
import {
  launchOptions,
  launcherCommand,
  spareOptions,
  probeLauncher,
  type LaunchOptions,
} from '../../../../runtime/src/sandbox/launcher/launcher.ts'

const least: LaunchOptions = { namespaces: false, limits: {}, environment: {} }
const overlay = { lower: '/image', upper: '/upper', work: '/work' }
const overlayWords = '--root /r --lower /image --upper /upper --work /work'.split(' ')

describe('the command line of the launcher', () => {
  test('begins with the options of every launcher', () => {
    const parent = ['--parent', `${process.pid}`]
    expect(launcherCommand([])).toEqual([nativePaths.launcher, '--control', ...parent])
    expect(launcherCommand(['/a', '/b']).slice(-4)).toEqual(['--cgroup', '/a', '--cgroup', '/b'])
  })

  test('of a spare has the steps that need no job', () => {
    const layer = { folder: '/s', upper: '/s/u', work: '/s/w' }
    const mounted = ['--spare-storage', '/s', '--upper', '/s/u', '--work', '/s/w']
    const [none, some] = [
      { namespaces: false, pivots: true },
      { namespaces: true, pivots: false },
    ]
    expect(spareOptions(none, layer)).toEqual(['--spare'])
    expect(spareOptions(some, undefined)).toEqual(['--spare', '--namespaces'])
    expect(spareOptions({ ...some, pivots: true }, layer)).toEqual([
      '--spare',
      '--namespaces',
      '--pivot',
      ...mounted,
    ])
  })

  test.for<{ name: string; options: Partial<LaunchOptions>; words: string[] }>([
    { name: 'no layer at all', options: {}, words: [] },
    { name: 'a uid', options: { identity: { uid: 7 } }, words: ['--uid', '7', '--gid', '7'] },
    { name: 'a range', options: { identity: { range: 7 } }, words: ['--range', '7'] },
    { name: 'namespaces', options: { namespaces: true }, words: ['--namespaces'] },
    { name: 'a folder as root', options: { root: { folder: '/r' } }, words: ['--root', '/r'] },
    {
      name: 'an overlay',
      options: { root: { folder: '/r', overlay } },
      words: overlayWords,
    },
    {
      name: 'an overlay with all it can have',
      options: {
        root: {
          folder: '/r',
          overlay: { ...overlay, lowerOwner: 9, storage: { file: '/f', folder: '/s' } },
        },
      },
      words: [...overlayWords, '--lower-owner', '9', '--storage', '/f:/s'],
    },
    {
      name: 'a stage',
      options: { stage: { folder: '/s', pivot: false, binds: [['/a', '/b']] } },
      words: ['--stage', '/s', '--bind', '/a:/b'],
    },
    {
      name: 'a root of its own',
      options: { stage: { folder: '/s', pivot: true, binds: [] } },
      words: ['--stage', '/s', '--pivot'],
    },
    {
      name: 'limits',
      options: { limits: { processes: 1, files: 2, fileBytes: 3 } },
      words: ['--max-processes', '1', '--max-files', '2', '--max-file-bytes', '3'],
    },
    { name: 'a processor, the first one, too', options: { cpu: 0 }, words: ['--cpu', '0'] },
    {
      name: 'Landlock',
      options: { landlock: { read: ['/r'], execute: ['/x', '/y'], write: ['/w'] } },
      words: ['--landlock', '--read', '/r', '--execute', '/x', '--execute', '/y', '--write', '/w'],
    },
    { name: 'a filter', options: { filter: 'traced' }, words: ['--filter', 'traced'] },
    {
      name: 'a filter before that of an accelerated PRoot',
      options: { filter: 'traced', filtersMore: true },
      words: ['--filter', 'traced', '--filters-more'],
    },
    { name: 'a folder', options: { workFolder: '/w' }, words: ['--work-folder', '/w'] },
    {
      name: 'variables of the program itself',
      options: { environment: { A: '1 2', B: '' } },
      words: ['--env', 'A=1 2', '--env', 'B='],
    },
  ])('$name', ({ options, words }) => {
    expect(launchOptions({ ...least, ...options })).toEqual([...words, '--'])
  })
})

test('the launcher reports what this host allows', async () => {
  const probe = await probeLauncher()
  expect(probe.seccomp).toBe(true)
  expect(probe.namespacesError === null).toBe(probe.namespaces)
})
