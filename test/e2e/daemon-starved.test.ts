/**
 * `causeway daemon` without free descriptors: what needs one fails, and everything else continues.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readyDaemon } from '../support/daemon.ts'
import { writeDeployment } from '../support/deployment.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const isRoot = process.getuid?.() === 0

test.skipIf(!isRoot)(
  'a daemon goes on when jobs find no descriptors (only root can count its own)',
  async () => {
    const image = await recipeImage('minimal')
    await using folder = await temporaryFolder()
    await using daemon = await readyDaemon(join(folder.path, 'state'), {
      args: ['--allow-local-images'],
    })
    const deploy = async (id: string) => {
      const file = await writeDeployment(join(folder.path, id), {
        image,
        manifest: { restartPolicy: 'no' },
        files: { 'job.sh': 'exit 4' },
        deployment: { id },
      })
      await daemon.deploy({ file })
    }
    const limit = (files: number) =>
      execFileSync('prlimit', ['--pid', `${daemon.pid}`, `--nofile=${files}:`])
    await deploy('before')
    await daemon.reach('before', 'ended')
    const refused: unknown[] = []
    for (const room of [6, 12, 18, 24]) {
      limit(readdirSync(`/proc/${daemon.pid}/fd`).length + room)
      const ids = [1, 2, 3, 4].map((number) => `room-${room}-${number}`)
      const deployed = await Promise.allSettled(ids.map((id) => deploy(id)))
      refused.push(...deployed.filter(({ status }) => status === 'rejected'))
      limit(1024)
    }
    expect(refused).not.toEqual([])
    await deploy('after')
    expect(await daemon.reach('after', 'ended')).toMatchObject({ exit: { code: 4 } })
    expect(await daemon.stop()).toMatchObject({ code: 0 })
  },
)
