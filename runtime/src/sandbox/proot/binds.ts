/**
 * PRoot's options that are the same in a stage and on the host's root: filter, binds and emulator.
 * @module
 */
import type { Bind } from '../launcher/launcher.ts'
import { prootEnvironment, type Proot } from './proot.ts'
import type { View } from '../root/guest-view.ts'

/** PRoot's options for an emulator of another machine. */
export function emulatorOptions(emulator: string | undefined): string[] {
  return emulator === undefined ? [] : ['-q', emulator]
}

// Here PRoot shows the whole root in which it runs itself, once it has an emulator.
const prootDoor = '/host-rootfs'

/** Binds that hide that root behind an empty folder and the emulator; they must come after `-q`. */
export function emulatorBinds(emulator: string | undefined, empty: string): Bind[] {
  if (emulator === undefined) return []
  return [
    [empty, prootDoor],
    [emulator, `${prootDoor}${emulator}`],
  ]
}

/** The launcher's options for a program that PRoot traces. */
export function traced(
  proot: Proot,
): Pick<View['launch'], 'filter' | 'filtersMore' | 'environment'> {
  return {
    filter: proot.missesStatx ? 'traced-no-statx' : 'traced',
    ...(proot.isAccelerated && { filtersMore: true }),
    environment: prootEnvironment(proot),
  }
}

/** Binds that give each path the same name inside. */
export function same(paths: readonly string[]): Bind[] {
  return paths.map((path) => [path, path])
}
