/** Runs real canaries: with the PRoot of this host, and with faulty ones. */
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect } from 'vitest'
import { loadConfig } from '../../../../runtime/src/config/config.ts'
import { runCanary } from '../../../../runtime/src/sandbox/canary.ts'
import { openCgroups } from '../../../../runtime/src/cgroup/cgroup.ts'
import { probeLauncher } from '../../../../runtime/src/sandbox/launcher/launcher.ts'
import { createLaunchers } from '../../../../runtime/src/sandbox/launcher/launchers.ts'
import { chooseLayers, type Layers } from '../../../../runtime/src/sandbox/layers.ts'
import type { PlaceContext } from '../../../../runtime/src/sandbox/place-context.ts'
import { readBootId } from '../../../../runtime/src/sandbox/place-note.ts'
import {
  detectProot,
  librariesOf,
  type Proot,
} from '../../../../runtime/src/sandbox/proot/proot.ts'
import { openSandbox } from '../../../../runtime/src/sandbox/sandbox.ts'
import { fittingDisk } from '../../../../runtime/src/sandbox/limits.ts'
import { canLimitStorage } from '../../../../runtime/src/sandbox/storage/storage.ts'
import { smallDisk } from '../../../support/audit-disk.ts'
import { test } from '../../../support/folder-fixture.ts'
import { compiled } from '../../../support/compiled.ts'
import { thrownBy } from '../../../support/thrown.ts'

const isRoot = process.getuid?.() === 0
const settings = loadConfig(undefined).sandbox
const probe = await probeLauncher()
const proot = await detectProot('proot').catch(() => undefined)

type Setting = typeof settings.backend
const chosen = (backend: Setting) => chooseLayers({ ...settings, backend }, probe, isRoot)

/** The context of a sandbox with these layers. */
async function contextOf(
  layers: Layers,
  changed: Partial<Proot & { libraries: readonly string[] }> = {},
): Promise<PlaceContext> {
  const cgroups = openCgroups()
  const libraries = await librariesOf(proot!.program)
  return {
    settings,
    layers,
    ...(layers.backend === 'proot' && { proot: { ...proot!, libraries, ...changed } }),
    cgroups,
    launchers: createLaunchers(cgroups),
    bootId: readBootId(),
    limitsStorage: false,
  }
}

/** A folder for runs that the job's uid can pass through. */
function runsIn(folder: string): string {
  const runs = join(folder, 'deployments')
  mkdirSync(runs, { recursive: true })
  chmodSync(runs, 0o711)
  return runs
}

const best = chosen('proot')
const withoutNamespaces: Layers = { ...best, namespaces: false, root: 'copy', shiftsIds: false }
const prootLayers: [string, Layers][] = [
  ['with all that this host has', best],
  ['without Landlock', { ...best, landlock: false }],
  ['without shifted ids', { ...best, shiftsIds: false }],
  ['without overlays', { ...best, shiftsIds: false, root: 'copy' }],
  ['without namespaces', withoutNamespaces],
  ['alone', { ...withoutNamespaces, landlock: false }],
]
const ownRoots: [string, Layers][] = probe.namespaces
  ? [
      ['a root of its own', chosen('namespaces')],
      ['a root of its own without shifted ids', { ...chosen('namespaces'), shiftsIds: false }],
    ]
  : []
const usable = prootLayers.filter(([, { namespaces }]) => probe.namespaces || !namespaces)

let folderOfTest = ''
afterEach(() => {
  if (folderOfTest) expect(readdirSync(runsIn(folderOfTest))).toEqual([])
})

describe.skipIf(!proot)('a canary', () => {
  test.for([...usable.map(([name, layers]) => [`PRoot ${name}`, layers] as const), ...ownRoots])(
    'succeeds: %s',
    async ([, layers], { folder }) => {
      folderOfTest = folder
      await runCanary(await contextOf(layers), runsIn(folder))
    },
  )
})

/** Runs the real PRoot without its `-r ROOT`: the guest's root is then PRoot's own. */
const rootless = (real: string) => `
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int kept = 0;
  for (int at = 0; at < argc; at++) {
    if (!strcmp(argv[at], "-r")) at++;
    else argv[kept++] = argv[at];
  }
  argv[kept] = 0;
  argv[0] = "${real}";
  execv(argv[0], argv);
  return 99;
}
`
const silent = 'int main(void) { return 0; }'
// Only a fault ends the first process of a namespace, too; a signal that it sends itself does not.
const dying = 'int main(void) { *(volatile int *)0 = 0; }'

describe.skipIf(!proot).each(usable)('a PRoot %s', (_name, layers) => {
  const canaryOf = async (folder: string, source: string) => {
    folderOfTest = folder
    const program = await compiled(folder, source, { flags: ['-static'] })
    const libraries = [proot!.program, ...(await librariesOf(proot!.program))]
    return runCanary(await contextOf(layers, { program, libraries }), runsIn(folder))
  }

  test('that shows its own root is refused', async ({ folder }) => {
    await expect(canaryOf(folder, rootless(proot!.program))).rejects.toMatchObject({
      kind: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(
        /^canary: a job sees files outside its root through openat/,
      ) as string,
    })
  })

  test('that runs no guest is refused', async ({ folder }) => {
    await expect(canaryOf(folder, silent)).rejects.toMatchObject({
      kind: 'SANDBOX_UNAVAILABLE',
      message: 'canary: the sandbox could not be set up (exit code 0)',
    })
  })

  test('that dies is refused', async ({ folder }) => {
    await expect(canaryOf(folder, dying)).rejects.toMatchObject({
      message: 'canary: the sandbox could not be set up (exit code 139)',
    })
  })
})

describe.skipIf(!proot?.missesStatx).each(usable)(
  'a PRoot that misses calls, %s',
  (_name, layers) => {
    test('is refused when no filter blocks those calls', async ({ folder }) => {
      folderOfTest = folder
      const context = await contextOf(layers, { missesStatx: false })
      await expect(runCanary(context, runsIn(folder))).rejects.toMatchObject({
        message: 'canary: a job sees files outside its root through statx',
      })
    })
  },
)

describe('a sandbox', () => {
  test
    .skipIf(!proot)
    .for<Setting>(['proot', 'auto', ...(probe.namespaces ? (['namespaces'] as const) : [])])(
    'opens with the backend %s',
    async (backend, { folder }) => {
      folderOfTest = folder
      const sandbox = await openSandbox({ ...settings, backend }, runsIn(folder))
      expect(sandbox.layers).toEqual(chosen(backend))
      expect(sandbox.name).toMatch(sandbox.layers.backend === 'proot' ? /^PRoot \d/ : /^namespaces/)
      await sandbox.close()
    },
  )

  test.skipIf(!isRoot || !probe.namespaces)(
    'opens on a full disk with all its layers; jobs wait for room',
    async ({ folder }) => {
      using disk = smallDisk(folder, 1 << 20)
      chmodSync(disk.path, 0o711)
      folderOfTest = disk.path
      const runs = runsIn(disk.path)
      disk.fill()
      const sandbox = await openSandbox({ ...settings, backend: 'namespaces' }, runs)
      expect(sandbox.layers).toEqual(chosen('namespaces'))
      expect(sandbox.limits.storage).toBe(
        (await canLimitStorage(folder)) ? 'file system' : 'counted',
      )
      const limits = { memoryBytes: 1, storageBytes: 1 << 20, processes: 1 }
      expect(await thrownBy(() => fittingDisk(limits, { storage: 0 }, runs))).toMatchObject({
        kind: 'DISK_FULL',
      })
      await sandbox.close()
    },
  )

  test('does not open with a PRoot that shows the host', async ({ folder }) => {
    folderOfTest = folder
    const program = await compiled(folder, silent, { flags: ['-static'] })
    await expect(
      openSandbox({ ...settings, proot: program }, runsIn(folder)),
    ).rejects.toMatchObject({
      kind: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(/^canary: /) as string,
    })
  })
})
