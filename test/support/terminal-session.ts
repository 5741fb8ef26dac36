import { fileURLToPath } from 'node:url'
import { causewayBin, run } from './causeway.ts'

const program = fileURLToPath(new URL('terminal-session.py', import.meta.url))

/** Waits for a text on the terminal, then types bytes (as latin1) or sends a signal. */
export type Turn = { expect: string; send: string } | { expect: string; signal: string }

export interface TerminalSession {
  /** The text that the terminal showed. */
  shown: string
  stdout: string
  stderr: string
  code: number | null
  signal: number | null
  /** Whether the terminal echoes: at each expected text, and after the end. */
  echo: boolean[]
}

/** Runs the `causeway` command with its own terminal, which is not its stdin. */
export async function causewayOnTerminal(
  args: readonly string[],
  dialogue: readonly Turn[],
): Promise<TerminalSession> {
  const command = [process.execPath, causewayBin, ...args]
  const input = JSON.stringify({ command, dialogue })
  const { stdout, stderr } = await run('python3', [program], { input })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as TerminalSession
}
