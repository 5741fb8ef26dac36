/**
 * Everything in the daemon that starts a program; each rejects with the reason of a failure.
 * @module
 */
import { once } from 'node:events'
import { nativePaths } from '../../native/src/index.ts'
import { startTool, runTool } from '../../images/src/tool.ts'
import { startUnpacker } from '../../images/src/unpack/unpacker.ts'
import { openLaunch } from '../../runtime/src/sandbox/launcher/launch.ts'
import { launchOptions, spareOptions } from '../../runtime/src/sandbox/launcher/launcher.ts'
import {
  startLauncher,
  startSpare,
  type LauncherProcess,
} from '../../runtime/src/sandbox/launcher/launcher-process.ts'
import { makeUnnamedStorage } from '../../runtime/src/sandbox/storage/storage-files.ts'

const mebibyte = 1024 * 1024
const uid = 1_800_000_003
const isRoot = () => process.getuid?.() === 0

export const starvedActions = { tool, pipes, unpacker, storage, launcher, discarded, spare }
export type StarvedAction = keyof typeof starvedActions

async function tool(): Promise<void> {
  await runTool('true', [])
}

async function pipes(): Promise<void> {
  const { kill, exit } = await startTool('cat', [])
  kill()
  await exit
}

async function unpacker(folder: string): Promise<void> {
  const { kill, result } = await startUnpacker({
    program: nativePaths.unpacker,
    folder,
    owner: isRoot() ? { uid, gid: uid } : undefined,
    maxBytes: mebibyte,
    maxEntries: 1,
    decoder: [],
    archive: 'pipe',
  })
  kill()
  await result.catch(() => {}) // killed
}

async function storage(folder: string): Promise<void> {
  await (await makeUnnamedStorage(folder, mebibyte)).close()
}

async function launcher(): Promise<void> {
  const started = startTrue()
  try {
    // As for a job: nothing in this tick may hide why there is no launcher.
    if (isRoot()) started.giveOutput(uid)
    await openLaunch(started, undefined)
  } finally {
    await discard(started)
  }
}

/** Discarded before Node has reported the failure. */
async function discarded(): Promise<void> {
  const started = startTrue()
  const isThere = once(started.child, 'spawn')
  await discard(started)
  await isThere
}

function startTrue(): LauncherProcess {
  const words = launchOptions({
    ...(isRoot() && { identity: { uid } }),
    namespaces: false,
    limits: {},
    environment: {},
  })
  return startLauncher([], [...words, '/bin/true'])
}

async function spare(): Promise<void> {
  const options = spareOptions({ namespaces: false, pivots: false }, undefined)
  const { launcher: started } = startSpare([], options)
  started.child.ref()
  try {
    await once(started.child, 'spawn')
  } finally {
    await discard(started)
  }
}

async function discard(started: LauncherProcess): Promise<void> {
  const { child } = started
  const gone = child.pid === undefined ? undefined : once(child, 'exit')
  started.discard()
  await gone
}
