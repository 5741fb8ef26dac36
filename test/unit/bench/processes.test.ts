import { describe, expect, test } from 'vitest'
import { createProcesses } from '../../bench/machine/processes.ts'
import { descendantsOf } from '../../bench/machine/process-tree.ts'

const shell = (script: string) => ['sh', '-c', script]

describe('processes', { timeout: 60_000 }, () => {
  test('a server that ends before it is ready says why', async () => {
    const processes = createProcesses()
    const started = processes.start(shell('echo no socket >&2; exit 3'))
    await expect(started).rejects.toThrow(/ended \(3\) before it was ready: no socket/)
  })

  test('a program that is not there is an error', async () => {
    await expect(createProcesses().start(['/nonexistent'])).rejects.toThrow('ENOENT')
  })

  test('a program that takes too long is ended', async () => {
    const late = createProcesses().run(['sleep', '600'], 50)
    await expect(late).rejects.toThrow('sleep 600: SIGKILL')
  })

  test('what a program prints is given', async () => {
    expect(await createProcesses().run(shell('echo here; echo there'), 30_000)).toBe('here\nthere')
  })

  test('none outlives the run, and none is started after it', async () => {
    const processes = createProcesses()
    const { pid } = await processes.start(shell('echo ready; exec sleep 600'))
    expect(descendantsOf(process.pid)).toContain(pid)
    await processes.stopAll()
    expect(descendantsOf(process.pid)).not.toContain(pid)
    await expect(processes.run(['true'], 30_000)).rejects.toThrow('the run is over')
  })
})
