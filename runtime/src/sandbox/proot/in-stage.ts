/**
 * Runs PRoot in a root of its own, which contains the job's root as `/job`, PRoot with its
 * libraries and our helpers, and nothing else of the host.
 * @module
 */
import { emulatorBinds, emulatorOptions, same, traced } from './binds.ts'
import { prootArguments } from './proot.ts'
import type { ProotViewOptions, View } from '../root/guest-view.ts'

const stagedJob = '/job'
const stagedProot = '/proot'
const stagedHelpers = '/helpers'
const stagedEmpty = '/empty'

export function prootInStage(options: ProotViewOptions): View {
  const { proot, paths, layers, init, emulator } = options
  const place = (guest: string) => `${stagedHelpers}/${guest.slice(guest.lastIndexOf('/') + 1)}`
  const view = {
    root: stagedJob,
    workFolder: options.workFolder,
    binds: [
      ...same(['/dev', '/proc', '/sys']),
      ...paths.helpers.map(([, guest]) => [place(guest), guest] as const),
      ...emulatorBinds(emulator, stagedEmpty),
    ],
  }
  return {
    launch: {
      ...traced(proot),
      stage: {
        folder: paths.stage,
        pivot: false,
        binds: [
          [proot.program, stagedProot],
          ...same(proot.libraries),
          ...paths.helpers.map(([host, guest]) => [host, place(guest)] as const),
          ...(emulator === undefined
            ? []
            : [...same([emulator]), [paths.empty, stagedEmpty] as const]),
        ],
      },
      ...(layers.landlock && {
        landlock: {
          read: [],
          execute: ['/'],
          write: [stagedJob, '/proc', '/dev', '/tmp'],
        },
      }),
    },
    program: [stagedProot, ...emulatorOptions(emulator), ...prootArguments(view), init],
  }
}
