/**
 * Our own with everything enabled: a deployment's own socket, called by its own job.
 * @module
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { causewayBin } from '../../support/causeway.ts'
import { writeDeployment } from '../../support/deployment.ts'
import { recipeImage } from '../../support/recipe-image.ts'
import type { Processes } from '../machine/processes.ts'
import { liftedRateLimits } from './lifted-rate-limits.ts'
import { askServer, fullLengthName, trivialRequest, type Server } from './server.ts'

export interface RunJobOptions {
  folder: string
  processes: Processes
  /** Prefix of the command. */
  prefix: readonly string[]
  /** The job's program: static, prints a line when ready, and reads `request` and `reply`. */
  program: Buffer
  environment: Readonly<Record<string, string>>
}

/** Runs `causeway run`; resolves when its job is ready. */
export async function startJob(options: RunJobOptions): Promise<Server> {
  const { folder, processes, prefix, program, environment } = options
  const where = await writeConfig(folder)
  const reply = await learnReply(folder, where, processes)
  const file = await writeDeployment(join(folder, 'job'), {
    image: await recipeImage('minimal'),
    entrypoint: 'job-client',
    files: { 'job-client': program, request: trivialRequest, reply },
    deployment: { ...identity, environment },
  })
  const socket = fullLengthName()
  const flags = ['--allow-local-images', '--quiet', '--socket', socket, ...where]
  const command = [process.execPath, causewayBin, 'run', file, ...flags]
  const { pid, stop } = await processes.start([...prefix, ...command])
  return { name: 'causeway run', socket, pid, request: trivialRequest, reply, stop }
}

// Without these they would depend on the deployment file's path.
const identity = { id: '1', origin: { kind: 'Substrate', source: '00'.repeat(32) } }

/** The options for state and configuration. */
async function writeConfig(folder: string): Promise<string[]> {
  const state = join(folder, 'state')
  const config = join(folder, 'config.toml')
  // Shared: the host controls the load.
  await writeFile(config, `${liftedRateLimits}\n[network]\nmode = "shared"\n`)
  return ['--state', state, '--config', config]
}

/** The reply that the bridge will give the job, computed: only the job may call there. */
async function learnReply(
  folder: string,
  where: readonly string[],
  processes: Processes,
): Promise<string> {
  const file = join(folder, 'deployment.json')
  await writeFile(file, JSON.stringify(identity))
  const socket = fullLengthName()
  const command = [process.execPath, causewayBin, 'serve', file, '--socket', socket, ...where]
  const server = await processes.start(command)
  const reply = await askServer(socket, trivialRequest)
  await server.stop()
  return reply
}
