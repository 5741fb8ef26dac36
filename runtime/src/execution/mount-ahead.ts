/**
 * The root of a job's next attempt: the first one is mounted while the bridge is still opened.
 * @module
 */
import type { MountedJob } from '../sandbox/mounted-job.ts'

export interface MountAhead {
  /** The one that was mounted ahead, afterwards new ones. */
  mount: () => Promise<MountedJob>
  /** Gives up the one that nobody asked for. */
  close(): Promise<void>
}

/** Begins to mount the first root. */
export function mountAhead(mount: () => Promise<MountedJob>): MountAhead {
  let ahead: Promise<MountedJob> | undefined = mount()
  ahead.catch(() => {}) // told to whoever asks for it
  const take = () => {
    const taken = ahead
    ahead = undefined
    return taken
  }
  return {
    mount: () => take() ?? mount(),
    async close() {
      const mounted = await take()?.catch(() => undefined)
      await mounted?.cancel()
    },
  }
}
