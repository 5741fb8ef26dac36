import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { builtFile } from '../../../native/src/paths.ts'
import { test } from '../../support/folder-fixture.ts'

const tsx = fileURLToPath(import.meta.resolve('tsx'))
const native = fileURLToPath(new URL('../../../native/src/process/index.ts', import.meta.url))

/** Runs a script that may call hardenProcess, and gives what it prints. */
async function run(script: string): Promise<string> {
  const program = `import { hardenProcess } from ${JSON.stringify(native)}\n${script}`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@causeway/source', '--import', tsx, '--input-type=module', '-e', program],
    { timeout: 60_000 },
  )
  return stdout.trim()
}

it('leaves no core file, and children leave none either', async () => {
  const limits = await run(`
    import { execFileSync } from 'node:child_process'
    hardenProcess()
    process.stdout.write(execFileSync('cat', ['/proc/self/limits'], { encoding: 'utf8' }))`)
  expect(limits).toMatch(/^Max core file size +[01] +[01] +bytes/m)
})

test.skipIf(process.getuid?.() !== 0)(
  'gives /proc/PID to root, while children are as dumpable as ever',
  async ({ folder }) => {
    // Another user may read neither this tree nor the folder.
    const addon = join(folder, 'addon.node')
    copyFileSync(builtFile('bridge_native.node'), addon)
    chmodSync(folder, 0o755)
    // The owner of the files in /proc/PID is root as soon as a process is not dumpable (proc(5)).
    const owners = async (harden: string) => {
      const script = `
        const { spawn } = require('node:child_process')
        const { statSync } = require('node:fs')
        ${harden}
        const child = spawn('sleep', ['30'])
        child.once('spawn', () => setTimeout(() => {
          console.log(statSync('/proc/self/mem').uid, statSync('/proc/' + child.pid + '/mem').uid)
          child.kill()
        }, 200))`
      const options = { uid: 65534, gid: 65534, cwd: '/', timeout: 60_000 }
      return (await promisify(execFile)(process.execPath, ['-e', script], options)).stdout.trim()
    }
    expect(await owners('')).toBe('65534 65534')
    expect(await owners(`require(${JSON.stringify(addon)}).harden()`)).toBe('0 65534')
  },
)

it('closes a debugger that is open already', async () => {
  const script = (harden: string) => `
    import { open, url } from 'node:inspector'
    open(0, '127.0.0.1')
    ${harden}
    console.log(url() === undefined ? 'closed' : 'open')
    process.exit()`
  expect(await run(script(''))).toBe('open')
  expect(await run(script('hardenProcess()'))).toBe('closed')
})

it('SIGUSR1 opens no debugger', async () => {
  const script = (harden: string) => `
    import { url } from 'node:inspector'
    ${harden}
    process.kill(process.pid, 'SIGUSR1')
    for (let turn = 0; turn < 20 && !url(); turn++) await new Promise((resolve) => setTimeout(resolve, 50))
    console.log(url() ? 'open' : 'closed')
    process.exit()`
  expect(await run(script(''))).toBe('open')
  expect(await run(script('hardenProcess()'))).toBe('closed')
})
