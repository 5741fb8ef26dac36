/**
 * What PRoot is told wherever it runs: its filter, what it binds, and an emulator.
 * @module
 */
import type { Bind } from '../launcher/launcher.ts'
import { prootEnvironment, type Proot } from './proot.ts'
import type { View } from '../root/guest-view.ts'

/** PRoot's options for a program that runs those of another machine. */
export function emulatorOptions(emulator: string | undefined): string[] {
  return emulator === undefined ? [] : ['-q', emulator]
}

// Where PRoot shows all of its own root once it has an emulator.
const prootDoor = '/host-rootfs'

/** After `-q` on the command line, these put an empty folder with nothing but the emulator there. */
export function emulatorBinds(emulator: string | undefined, empty: string): Bind[] {
  if (emulator === undefined) return []
  return [
    [empty, prootDoor],
    [emulator, `${prootDoor}${emulator}`],
  ]
}

/** What the launcher is told of a program that PRoot traces. */
export function traced(proot: Proot): Pick<View['launch'], 'filter' | 'environment'> {
  return {
    filter: proot.missesStatx ? 'traced-no-statx' : 'traced',
    environment: prootEnvironment(proot),
  }
}

/** Paths that are called the same inside. */
export function same(paths: readonly string[]): Bind[] {
  return paths.map((path) => [path, path])
}
