/**
 * Rotates the root secret of a state folder, and dies by SIGKILL after a number of changes on disk.
 * Arguments: state folder, changes. Exit code 0: the rotation made fewer changes.
 */
import { unlockRoot } from '../../runtime/src/signer/root/open-root.ts'
import { nativeBackend } from '../../runtime/src/signer/native-backend.ts'
import { resealFiles } from '../../runtime/src/signer/sealed/reseal.ts'
import { storedKeys } from '../../runtime/src/signer/imported/stored-keys.ts'
import { rotationSteps } from '../../runtime/src/signer/root/rotate-root.ts'

const [stateFolder = '', changes = '0'] = process.argv.slice(2)
const steps = rotationSteps({
  backend: nativeBackend(),
  root: await unlockRoot({ stateFolder }),
  resealables: [resealFiles(storedKeys(stateFolder))],
  now: new Date(),
})
for (let done = 0; done < Number(changes); done++) {
  const step = await steps.next()
  if (step.done) process.exit(0)
  process.stdout.write(`${step.value}\n`)
}
process.kill(process.pid, 'SIGKILL')
