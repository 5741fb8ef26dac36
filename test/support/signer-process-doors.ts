/**
 * Entry points into a process that proc(5) shows.
 * @module
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

/** Soft and hard limit of core files, as the kernel prints them. */
export function coreLimits(pid: number): string[] {
  const line = /^Max core file size +(\S+) +(\S+)/m.exec(
    readFileSync(`/proc/${pid}/limits`, 'utf8'),
  )
  return line?.slice(1) ?? []
}

/** Owner of a process's files in proc: root when the process is not dumpable, else its user. */
export function procOwner(pid: number): number {
  return statSync(`/proc/${pid}/environ`).uid
}

/** TCP sockets on which a process listens. */
export function listeningTcp(pid: number): string[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`)),
  )
  const listening = '0A'
  return ['tcp', 'tcp6']
    .flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === listening && own.has(`socket:[${fields[9]}]`))
    .map(([, address = '']) => address)
}
