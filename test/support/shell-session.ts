/**
 * One shell that runs one script after the other, as a reader types the blocks of a page.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface ShellSession extends AsyncDisposable {
  /** Runs a script in the shell; rejects with all output when one of its commands fails. */
  run(script: string): Promise<void>
  /** Output so far, of programs in the background, too. */
  output(): string
}

/**
 * Starts a shell, which ends with everything in its process group when it is disposed.
 * @param scripts folder for the scripts
 */
export function openShell(
  scripts: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): ShellSession {
  const shell = spawn('sh', ['-e'], {
    ...options,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [shell.stdout!, shell.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const ended = once(shell, 'exit')
  const closed = once(shell, 'close')
  const done = createInterface({ input: shell.stdio[3] as NodeJS.ReadableStream })
  let scriptsRun = 0
  return {
    output: () => output,
    async run(script) {
      const file = join(scripts, `block-${++scriptsRun}.sh`)
      await writeFile(file, script)
      // The shell reads its commands from its stdin, which is not for the programs that it runs.
      shell.stdin!.write(`. '${file}' < /dev/null; echo >&3\n`)
      const failed = ended.then(([code]) => {
        throw new Error(`the shell ended with ${code} in:\n${script}\n${output}`)
      })
      await Promise.race([once(done, 'line'), failed])
    },
    async [Symbol.asyncDispose]() {
      killGroup(shell.pid!)
      await closed
    },
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}
