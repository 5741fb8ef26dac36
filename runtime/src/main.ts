/**
 * The `causeway` command: argv → one command of `cli/`.
 * @module
 */
import { Command, CommanderError } from 'commander'
import { auditCommand } from './cli/audit.ts'
import { daemonCommand } from './cli/daemon.ts'
import { demoCommand } from './cli/demo.ts'
import { deployCommand } from './cli/deployments/deploy.ts'
import { doctorCommand } from './cli/doctor.ts'
import { exitCodes } from './cli/exit-codes.ts'
import { fail } from './cli/failure.ts'
import { imageCommand } from './cli/image/image.ts'
import { inspectCommand } from './cli/deployments/inspect.ts'
import { keysCommand } from './cli/keys/keys.ts'
import { logsCommand } from './cli/deployments/logs.ts'
import { psCommand } from './cli/deployments/ps.ts'
import { rmCommand } from './cli/deployments/rm.ts'
import { runCommand } from './cli/run.ts'
import { serveCommand } from './cli/serve.ts'
import { startCommand, stopCommand } from './cli/deployments/stop.ts'
import { validateCommand } from './cli/validate.ts'
import { packageVersion, versionCommand } from './cli/version.ts'
import { whitelistCommand } from './cli/whitelist/whitelist.ts'

const commands = [
  runCommand,
  serveCommand,
  validateCommand,
  versionCommand,
  demoCommand,
  keysCommand,
  auditCommand,
  doctorCommand,
  imageCommand,
  daemonCommand,
  deployCommand,
  psCommand,
  logsCommand,
  inspectCommand,
  stopCommand,
  startCommand,
  rmCommand,
  whitelistCommand,
]

/** Runs one command; sets the exit code, never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe)
  const program = new Command('causeway')
    .description("run other people's jobs and give them capabilities, never secrets")
    .version(packageVersion())
    .exitOverride()
  for (const create of commands) program.addCommand(create().exitOverride())
  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    // Commander has printed its own message by then.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
    else fail(error)
  }
}

/** A reader that went away (`causeway demo | head`) must not end a job half-way. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
