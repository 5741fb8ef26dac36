/**
 * Runs PRoot on the host's own root, where there are no namespaces; Landlock confines it.
 * @module
 */
import { existsSync, realpathSync } from 'node:fs'
import { emulatorBinds, emulatorOptions, same, traced } from './binds.ts'
import { prootArguments } from './proot.ts'
import type { ProotViewOptions, View } from '../root/guest-view.ts'

// The same nodes as in native/src/launch/root/devices.c.
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)
// PRoot 5.1.0 writes its loader there and executes it, whatever TMPDIR says.
const hostTmp = '/tmp'

export function prootOnHostRoot(options: ProotViewOptions): View {
  const { proot, paths, layers, init, emulator } = options
  const view = {
    root: paths.root,
    workFolder: options.workFolder,
    binds: [
      ...same([...devices, '/proc', '/sys']),
      [paths.shm, '/dev/shm'] as const,
      ...paths.helpers,
      ...emulatorBinds(emulator, paths.empty),
    ],
  }
  const emulators = emulator === undefined ? [] : [emulator]
  const helpers = paths.helpers.map(([host]) => host)
  return {
    launch: {
      ...traced(proot),
      ...(layers.landlock && {
        landlock: {
          read: there(['/sys', '/etc/ld.so.cache']),
          execute: [
            proot.program,
            ...proot.libraries.map((path) => realpathSync(path)),
            ...helpers,
            ...emulators,
          ],
          write: [paths.root, paths.shm, '/proc', ...devices, hostTmp],
        },
      }),
    },
    program: [proot.program, ...emulatorOptions(emulator), ...prootArguments(view), init],
  }
}

function there(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path))
}
