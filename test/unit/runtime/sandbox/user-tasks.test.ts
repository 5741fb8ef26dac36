import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { tasksOfUser } from '../../../../runtime/src/cgroup/user-tasks.ts'
import { isRoot } from '../../../support/network-lab.ts'

// No other process has this uid.
const uid = 1_799_999_999

test.skipIf(!isRoot)('every thread of a user counts, and none of other users', async () => {
  expect(tasksOfUser(uid)).toBe(0)
  const threads = `import threading, time
for _ in range(3): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("ready", flush=True)
time.sleep(60)`
  const child = spawn('/usr/bin/python3', ['-c', threads], { uid, gid: uid, cwd: '/' })
  await once(child.stdout, 'data')
  expect(tasksOfUser(uid)).toBe(4)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(tasksOfUser(uid)).toBe(0)
})

test('the threads of this process are included', () => {
  expect(tasksOfUser(process.getuid!())).toBeGreaterThan(1)
})
