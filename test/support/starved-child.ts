/**
 * A process that starts programs without free resources: starved-child.ts ACTION FOLDER
 * descriptors|processes. Prints a line of JSON for each try.
 */
import { chownSync, closeSync, openSync, readdirSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { closeFd, createPipe } from '@causeway/native/process'
import { starvedActions, type StarvedAction } from './starved-actions.ts'
import type { StarvedTry } from './starved.ts'

const [name, folder, lacking] = process.argv.slice(2) as [StarvedAction, string, string]
const action = () => starvedActions[name](folder)
// No host uses it. This process's threads alone exceed the limit it gets.
const starvedUid = 1_800_077_777
// More than any action needs.
const mostRoom = 24

const descriptors = () => readdirSync('/proc/self/fd').length

/** Uses up all descriptors but `room`. */
function holdAllBut(room: number): number[] {
  const held: number[] = []
  try {
    for (;;) held.push(openSync('/dev/null', 'r'))
  } catch {
    // No descriptor is left.
  }
  for (const fd of held.splice(0, room)) closeSync(fd)
  return held
}

async function attempt(hold: () => number[]): Promise<StarvedTry> {
  const before = descriptors()
  const held = hold()
  const failure = await action().catch((error: unknown) => error as Error)
  for (const fd of held) closeSync(fd)
  // Streams close their descriptors once the loop has seen their end.
  for (let turn = 0; turn < 100 && descriptors() > before; turn++) await pause(10)
  return { ...(failure && { message: failure.message }), leaked: descriptors() - before }
}

/** Resolves when nothing has opened or closed a descriptor for a while. */
async function rest(): Promise<void> {
  let last = -1
  for (let now = descriptors(); now !== last; now = descriptors()) {
    last = now
    await pause(100)
  }
}

async function withoutProcesses(): Promise<StarvedTry[]> {
  chownSync(folder, starvedUid, starvedUid)
  // Creates the threads, and loads the addon from a checkout that only root may enter.
  await lstat(folder)
  const { readFd, writeFd } = createPipe()
  for (const fd of [readFd, writeFd]) closeFd(fd)
  process.setuid!(starvedUid)
  return [await attempt(() => [])]
}

async function withoutDescriptors(): Promise<StarvedTry[]> {
  // Opens what stays open, while there are descriptors.
  await action()
  await rest()
  const tries: StarvedTry[] = []
  for (let room = 0; room < mostRoom; room++) tries.push(await attempt(() => holdAllBut(room)))
  return tries
}

const tries = lacking === 'processes' ? await withoutProcesses() : await withoutDescriptors()
for (const one of tries) process.stdout.write(`${JSON.stringify(one)}\n`)
