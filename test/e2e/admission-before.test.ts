/** The bridge opens before the job runs: early callers are refused. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { setTimeout as pause } from 'node:timers/promises'
import { loadConfig } from '../../runtime/src/config/config.ts'
import { runDeployment } from '../../runtime/src/execution/foreground.ts'
import { openState } from '../../runtime/src/state/state-folders.ts'
import { rejected } from '../support/admission-calls.ts'
import { writeDeployment } from '../support/deployment.ts'
import { test } from '../support/folder-fixture.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { recordingLog } from '../support/recording-log.ts'

// Calls and ends; its child waits for the reply and keeps it.
const early = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("\\0" + sys.argv[1])
s.sendall(b'{"jsonrpc":"2.0","id":"1","method":"processor_version","params":[]}\\n')
if os.fork() == 0:
    os.setsid()
    for fd in 0, 1, 2: os.close(fd)
    reply = s.makefile().readline()
    with open(sys.argv[2] + ".part", "w") as file: file.write(reply)
    os.rename(sys.argv[2] + ".part", sys.argv[2])
`

test.for(['proot', 'namespaces'] as const)(
  'nobody is admitted before the job runs, backend %s',
  async (backend, { folder }) => {
    const socket = `causeway-test-${randomUUID()}`
    const [reply, log] = [join(folder, 'reply'), recordingLog()]
    const config = loadConfig(undefined)
    config.images.allowLocal = true
    config.sandbox.backend = backend
    config.network.mode = 'shared'
    const file = await writeDeployment(join(folder, 'job'), {
      image: await recipeImage('minimal'),
      files: { 'job.sh': 'exit 3' },
    })
    const exit = await runDeployment({
      file,
      state: openState(join(folder, 'state')),
      config,
      log: log.log,
      socket,
      signal: new AbortController().signal,
      onEvent(event) {
        // The daemon does nothing else while this runs, so the job comes later.
        if (event.type === 'bridge-open') spawnSync('python3', ['-c', early, socket, reply])
      },
      async onOutput({ stdout, stderr }) {
        await Promise.all([stdout.resume().toArray(), stderr.resume().toArray()])
      },
    })
    expect(exit).toEqual({ reason: 'exited', code: 3 })
    while (!existsSync(reply)) await pause(5)
    expect(JSON.parse(readFileSync(reply, 'utf8'))).toMatchObject(rejected)
    expect(log.lines).toContainEqual(expect.objectContaining({ reason: 'not-open' }))
  },
)
