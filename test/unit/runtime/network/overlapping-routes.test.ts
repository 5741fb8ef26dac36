/** Which routes of the host are said to overlap the addresses of jobs. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { overlappingRoutes } from '../../../../runtime/src/job-network/isolated/overlapping-routes.ts'
import { test } from '../../../support/folder-fixture.ts'

/** An `ip` that says these routes. */
function sayRoutes(folder: string, routes: readonly object[]): void {
  const program = join(folder, 'ip')
  writeFileSync(program, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(routes)}\nEND\n`)
  chmodSync(program, 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
}

test('only foreign ones: not those of other daemons, also while they are removed', async ({
  folder,
}) => {
  sayRoutes(folder, [
    { dst: 'default', dev: 'eth0' },
    { dst: '100.127.1.2/31', dev: 'cwy-0081' },
    // As iproute2 shows an interface that was removed while it looked.
    { dst: '100.127.3.4/31', dev: 'if40321' },
    { dst: '100.127.8.0/24', dev: 'tun0' },
    { dst: '100.64.0.0/10', type: 'blackhole' },
  ])
  try {
    const shortfalls = await overlappingRoutes()
    expect(shortfalls.map(({ text }) => /route to (\S+),/.exec(text)?.[1])).toEqual([
      '100.127.8.0/24',
      '100.64.0.0/10',
    ])
  } finally {
    vi.unstubAllEnvs()
  }
})
