/** The `causeway` command: finds the command in argv and loads its module from `cli/`. @module */
import { Command, CommanderError } from 'commander'
import {
  deployCommand,
  inspectCommand,
  logsCommand,
  psCommand,
  rmCommand,
  startCommand,
  stopCommand,
} from './cli/commands/deployments.ts'
import { daemonCommand, doctorCommand, versionCommand } from './cli/commands/host.ts'
import { imageCommand } from './cli/commands/image.ts'
import { auditCommand, keysCommand } from './cli/commands/keys.ts'
import { demoCommand, runCommand, serveCommand, validateCommand } from './cli/commands/run.ts'
import { whitelistCommand } from './cli/commands/whitelist.ts'
import { exitCodes } from './cli/exit-codes.ts'
import { fail } from './cli/failure.ts'
import { packageVersion } from './cli/package-version.ts'
import { ignoreHangupUnderNohup } from './cli/signals.ts'

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
  ignoreHangupUnderNohup()
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe)
  const program = new Command('causeway')
    .description("run other people's jobs and give them capabilities, never secrets")
    .version(packageVersion())
    .exitOverride()
  for (const create of commands) program.addCommand(create().exitOverride())
  try {
    await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    // Commander has already printed its message.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
    else fail(error)
  }
}

/** A reader that went away (`causeway demo | head`, a terminal) must not end a job half-way. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
}
