/**
 * `npm run bench`: the numbers that must hold, each beside its floor.
 * @module
 */
import { runCommand } from './command.ts'

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
// What is still being waited for after a signal must not keep us here.
process.exit()
