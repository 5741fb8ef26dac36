/**
 * Mounts the root of a job's first attempt early, while the bridge is still being opened.
 * @module
 */
import type { MountedJob } from '../sandbox/mounted-job.ts'

export interface MountAhead {
  /** Returns the early root first, and mounts a new one for each later call. */
  mount: () => Promise<MountedJob>
  /** Cancels the early root if nobody took it. */
  close(): Promise<void>
}

/** Starts to mount the first root. */
export function mountAhead(mount: () => Promise<MountedJob>): MountAhead {
  let ahead: Promise<MountedJob> | undefined = mount()
  ahead.catch(() => {}) // thrown by `mount`
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
