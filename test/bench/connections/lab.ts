/**
 * A host of jobs and its internet: this process's own network namespace (it is started in a new
 * one) and another, joined by a cable. Both go with this process and its children, whatever ends it.
 * @module
 */
import { createNetwork } from '@causeway/native'
import { runProgram } from '../../../runtime/src/job-network/program.ts'

export interface Lab {
  /** Arguments before a program that runs in the internet. */
  internet: readonly string[]
}

/**
 * Public addresses of the internet's server, one for each way to it: who comes by another way may
 * have the same address and port, and older timestamps, which the server would not take.
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

/** Arguments before a program that runs in a network namespace. @param namespace descriptor of this process */
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
