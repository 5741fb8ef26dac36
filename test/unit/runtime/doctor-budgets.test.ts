import { expect, test } from 'vitest'
import { compare } from '../../../runtime/src/doctor/budgets.ts'

const enough = {
  processes: { ofHost: 32_768, ofJob: 1024, ofAllJobs: 16_384 },
  files: { ofHost: 2 ** 63, ofJob: 1024 * 65_536 },
  hasFilterMemory: true,
}

test('a host that no number of jobs uses up', () => {
  expect(compare(enough)).toEqual({
    status: 'ok',
    detail:
      'processes: all jobs together at most 16384 of 32768; open files: as many as fit into the memory of each job; memory for filters: left',
  })
})

test.for([
  {
    lack: { processes: { ofHost: 32_768, ofJob: 1024 } },
    detail: 'processes: 1024 of 32768 for each job',
    remedy: 'lower sandbox.maxProcesses: now 32 jobs at their limits take all',
  },
  {
    lack: { files: { ofHost: 2_400_000, ofJob: 1_199_104 } },
    detail: 'open files: 1199104 of 2400000 for each job',
    remedy: 'open files: now 3 jobs at their limits take all',
  },
  {
    lack: { hasFilterMemory: false },
    detail: 'memory for filters: used up, so only root can install one',
    remedy: 'raise sysctl net.core.bpf_jit_limit',
  },
])('$detail', ({ lack, detail, remedy }) => {
  const outcome = compare({ ...enough, ...lack })
  expect(outcome.status).toBe('warning')
  expect(outcome.detail).toContain(detail)
  expect(outcome.remedy).toContain(remedy)
})
