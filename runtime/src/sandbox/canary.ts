/**
 * The canary: a test job that finds out whether jobs of this sandbox see files of the host.
 *
 * PRoot translates paths, and some versions fail open on kernels they do not know. So before any
 * job runs, a program tries each call that might escape the translation on a file of its own root
 * and on one outside.
 * @module
 */
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { nativePaths } from '@causeway/native'
import { removeTree, type Owner } from '@causeway/images'
import { createRunFolder } from '../state/run-folder.ts'
import { StartError } from '../errors/start-error.ts'
import { guestInit } from './root/guest-programs.ts'
import type { PlaceContext } from './place-context.ts'
import { reservePlace, type Place } from './place.ts'

const guestCanary = '/.causeway/canary'
const guestMarker = '/marker'
const helpers = [
  [nativePaths.guestInit, guestInit],
  [nativePaths.canary, guestCanary],
] as const

const limits = {
  memoryBytes: 256 * 1024 * 1024,
  storageBytes: 64 * 1024 * 1024,
  processes: 64,
}

/**
 * Runs the canary with the layers of a context.
 * @param folder where runs have their folders
 * @throws StartError SANDBOX_UNAVAILABLE with what could not be set up, or what the canary saw
 */
export async function runCanary(context: PlaceContext, folder: string): Promise<void> {
  const own = createRunFolder(folder)
  try {
    const place = reservePlace(context, { folder: own, limits, workFolder: '/', helpers })
    await look(context, place, own).finally(() => place.release())
  } finally {
    await removeTree(own)
  }
}

// The canary takes some milliseconds. The limit lets the daemon report a tracer that hangs.
const longestLookMs = 60_000

async function look(context: PlaceContext, place: Place, folder: string): Promise<void> {
  const tree = await makeTree(folder, place.treeOwner)
  const outside = await makeOutside(context, folder)
  const mounted = await place.mount(tree)
  const job = mounted.start({
    command: [guestCanary, guestMarker, outside],
    environment: {},
    admit: () => {},
  })
  const alarm = setTimeout(() => job.kill(), longestLookMs)
  const [seen, , exit] = await Promise.all([text(job.stdout), drain(job.stderr), job.exited])
  clearTimeout(alarm)
  if (exit.reason !== 'exited') {
    throw unavailable('detail' in exit ? exit.detail : `ended by ${exit.signal}`)
  }
  judge(seen)
}

/** Makes a root that contains only the marker. */
async function makeTree(folder: string, owner: Owner | undefined): Promise<string> {
  const tree = join(folder, 'tree')
  await mkdir(tree)
  await writeFile(join(tree, guestMarker), '')
  for (const path of [tree, join(tree, guestMarker)]) {
    if (owner) await chown(path, owner.uid, owner.gid)
  }
  await chmod(tree, 0o755)
  return tree
}

/** Path of a file that only an untranslated call finds; in a stage, PRoot itself. */
async function makeOutside({ layers }: PlaceContext, folder: string): Promise<string> {
  if (layers.backend === 'proot' && layers.namespaces) return '/proot'
  const path = join(folder, 'outside')
  await writeFile(path, '')
  await chmod(path, 0o644)
  return path
}

// No guest works without these calls.
const needed = ['openat', 'stat', 'faccessat']

/** @param seen lines of the canary: call, result for its own file, result for the file outside */
function judge(seen: string): void {
  const lines = seen
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  const outside = lines.filter(([, , host]) => host === 'seen').map(([call]) => call)
  const missing = needed.filter(
    (name) => !lines.some(([call, guest]) => call === name && guest === 'seen'),
  )
  if (outside.length > 0) {
    throw unavailable(`a job sees files outside its root through ${outside.join(', ')}`)
  }
  if (missing.length > 0) {
    throw unavailable(`a job does not see its own files through ${missing.join(', ')}`)
  }
}

async function drain(stream: Readable): Promise<void> {
  for await (const _chunk of stream) continue
}

function unavailable(detail: string): StartError {
  return new StartError('SANDBOX_UNAVAILABLE', `canary: ${detail}`)
}
