import { describe, expect, test } from 'vitest'
import type { Layers } from '../../../../runtime/src/sandbox/layers.ts'
import { jobView } from '../../../../runtime/src/sandbox/root/choose-view.ts'
import type { ViewOptions } from '../../../../runtime/src/sandbox/root/guest-view.ts'

const layers: Layers = {
  backend: 'proot',
  ownIds: true,
  namespaces: true,
  root: 'overlay',
  shiftsIds: true,
  landlock: true,
}
const old = {
  program: '/usr/bin/proot',
  version: '5.1.0',
  isAccelerated: false,
  missesStatx: true,
  // A static PRoot has none.
  libraries: [],
}
const options: ViewOptions = {
  layers,
  proot: old,
  paths: {
    root: '/run/root',
    stage: '/run/stage',
    shm: '/run/shm',
    empty: '/run/empty',
    helpers: [
      ['/built/init', '/.causeway/init'],
      ['/built/shim.so', '/.causeway/shim.so'],
    ],
  },
  workFolder: '/root/job',
  init: '/.causeway/init',
}
const guestArguments = ['-v', '-1', '-0', '-r']

/** The pairs that follow each `-b`. */
const bindsOf = (program: readonly string[]) =>
  program.flatMap((word, index) => (program[index - 1] === '-b' ? [word] : []))

describe('the view in a root of its own', () => {
  test('is the image with our helpers, without a tracer', () => {
    const { proot: _none, ...rest } = options
    const view = jobView({ ...rest, layers: { ...layers, backend: 'namespaces', landlock: false } })
    expect(view).toEqual({
      launch: {
        stage: { folder: '/run/stage', pivot: true, binds: options.paths.helpers },
        filter: 'plain',
        workFolder: '/root/job',
        environment: {},
      },
      program: ['/.causeway/init'],
    })
  })
})

describe('the root in which PRoot runs', () => {
  const { launch, program } = jobView({
    ...options,
    proot: { ...old, libraries: ['/lib64/ld.so'] },
  })

  test('contains PRoot, its libraries and our helpers', () => {
    expect(launch.stage).toEqual({
      folder: '/run/stage',
      pivot: false,
      binds: [
        ['/usr/bin/proot', '/proot'],
        ['/lib64/ld.so', '/lib64/ld.so'],
        ['/built/init', '/helpers/init'],
        ['/built/shim.so', '/helpers/shim.so'],
      ],
    })
    expect(launch.workFolder).toBeUndefined()
  })

  test('lets PRoot write to the job, to devices and to its own /tmp only', () => {
    expect(launch.landlock).toEqual({
      read: [],
      execute: ['/'],
      write: ['/job', '/proc', '/dev', '/tmp'],
    })
  })

  test('differs from the guest’s, which is the job’s root with /dev, /proc and /sys', () => {
    expect(program.slice(0, 6)).toEqual(['/proot', ...guestArguments, '/job'])
    expect(program.at(-1)).toBe('/.causeway/init')
    expect(program[program.indexOf('-w') + 1]).toBe('/root/job')
    expect(bindsOf(program)).toEqual([
      '/dev',
      '/proc',
      '/sys',
      '/helpers/init:/.causeway/init',
      '/helpers/shim.so:/.causeway/shim.so',
    ])
  })

  test('has no Landlock where there is none', () => {
    expect(
      jobView({ ...options, layers: { ...layers, landlock: false } }).launch.landlock,
    ).toBeUndefined()
  })
})

describe('PRoot on the root of the host', () => {
  const onHost = { ...layers, namespaces: false, root: 'copy', shiftsIds: false } as const
  const { launch, program } = jobView({
    ...options,
    layers: onHost,
    proot: { ...old, libraries: [] },
  })

  test('is confined by Landlock alone', () => {
    expect(launch.stage).toBeUndefined()
    expect(launch.landlock!.execute).toEqual(['/usr/bin/proot', '/built/init', '/built/shim.so'])
    const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map(
      (name) => `/dev/${name}`,
    )
    expect(launch.landlock!.write).toEqual(['/run/root', '/run/shm', '/proc', ...devices, '/tmp'])
    for (const path of launch.landlock!.read) expect(['/sys', '/etc/ld.so.cache']).toContain(path)
  })

  test('shows the guest single devices and shared memory of its own', () => {
    expect(program.slice(0, 6)).toEqual(['/usr/bin/proot', ...guestArguments, '/run/root'])
    const binds = bindsOf(program)
    expect(binds).toContain('/run/shm:/dev/shm')
    expect(binds).toContain('/dev/null')
    expect(binds).toContain('/built/init:/.causeway/init')
    expect(binds).not.toContain('/dev')
    expect(binds).not.toContain('/tmp')
  })
})

describe('the filter and the environment of PRoot', () => {
  test.for([
    ['5.1.0', old, 'traced-no-statx', { PROOT_NO_SECCOMP: '1' }],
    ['a newer one', { ...old, missesStatx: false }, 'traced', { PROOT_NO_SECCOMP: '1' }],
    ['an accelerated one', { ...old, missesStatx: false, isAccelerated: true }, 'traced', {}],
  ] as const)('%s', ([, proot, filter, environment]) => {
    for (const namespaces of [true, false]) {
      const { launch } = jobView({ ...options, proot, layers: { ...layers, namespaces } })
      expect(launch).toMatchObject({ filter, environment })
    }
  })
})

describe('an emulator', () => {
  const emulator = '/usr/bin/qemu-aarch64-static'

  test.for([
    ['in a stage', true, '/empty'],
    ['on the root of the host', false, '/run/empty'],
  ] as const)(
    '%s: the folder through which PRoot shows its root contains only the emulator',
    ([, namespaces, empty]) => {
      const { launch, program } = jobView({
        ...options,
        emulator,
        layers: { ...layers, namespaces },
      })
      const [option, path] = program.slice(1, 3)
      expect([option, path]).toEqual(['-q', emulator])
      // Later binds win: these must come after `-q`, and the folder before what is in it.
      expect(bindsOf(program).slice(-2)).toEqual([
        `${empty}:/host-rootfs`,
        `${emulator}:/host-rootfs${emulator}`,
      ])
      const bound = launch.stage?.binds ?? []
      expect(bound.some(([host]) => host === emulator)).toBe(namespaces)
      const { execute } = launch.landlock!
      expect(execute).toContain(namespaces ? '/' : emulator)
    },
  )
})

test('the backend proot needs a PRoot', () => {
  const { proot: _none, ...rest } = options
  expect(() => jobView(rest)).toThrow(TypeError)
})
