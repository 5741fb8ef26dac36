/**
 * A host of jobs and its internet: this process's network namespace (it starts in a new one) and
 * another, joined by a cable. Both disappear with this process and its children, however it ends.
 * @module
 */
import { createNetwork } from '@causeway/native/network'
import { runProgram } from '../../../runtime/src/job-network/program.ts'

export interface Lab {
  /** Arguments before a program that runs in the internet. */
  internet: readonly string[]
}

/**
 * The server has one public address for each way to it: clients on different ways may have the same
 * address and port, but older timestamps, which the server would refuse.
 */
export const servers = {
  plain: '93.184.216.1',
  admitted: '93.184.216.2',
  limited: '93.184.216.3',
  host: '93.184.216.4',
  shared: '93.184.216.5',
} as const

const hostAddress = '93.184.216.10'

export async function openLab(): Promise<Lab> {
  const internet = createNetwork()
  const lay = 'link add eth0 type veth peer name eth0 netns /proc/self/fd/3'
  await runProgram('ip', ['-batch', '-'], {
    given: internet,
    input: lines(['link set lo up', lay, ...raise([hostAddress])]),
  })
  const input = lines(raise(Object.values(servers)))
  await runProgram('ip', ['-batch', '-'], { inside: internet, input })
  return { internet: inside(internet) }
}

/** Arguments that run a program in a network namespace. @param namespace our descriptor of it */
export function inside(namespace: number): readonly string[] {
  return ['nsenter', `--net=/proc/${process.pid}/fd/${namespace}`, '--']
}

function raise(addresses: readonly string[]): string[] {
  return [
    ...addresses.map((address) => `address add ${address}/24 dev eth0`),
    'link set eth0 addrgenmode none',
    'link set eth0 up',
  ]
}

const lines = (commands: readonly string[]) => commands.map((command) => `${command}\n`).join('')
