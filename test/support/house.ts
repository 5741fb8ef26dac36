/**
 * The layout of the product's source and what holds it: rooms, who may import whom, how large.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A room of the house. */
interface Room {
  /** What lives there, in one sentence. */
  holds: string
  /** Other rooms that it may import. */
  may: readonly string[]
}

/** Packages, and the other packages that each may import. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  native: [],
  'guest-sdk': [],
  manifest: [],
  service: ['native'],
  images: ['manifest', 'service', 'native'],
  runtime: ['native', 'guest-sdk', 'manifest', 'service', 'images'],
}

/** Rooms of `runtime/src`, the lowest first. */
export const rooms: Readonly<Record<string, Room>> = {
  errors: {
    holds: 'The error that says why something could not be started, and faults of host and disk.',
    may: [],
  },
  state: { holds: 'Folders and names that outlive a process or belong to one.', may: ['errors'] },
  cgroup: { holds: 'Control groups of jobs, versions 1 and 2.', may: ['state'] },
  bridge: { holds: 'The bridge: from a request line to its reply.', may: ['errors'] },
  signer: {
    holds: 'Keys, what is done with them, and the root secret.',
    may: ['bridge', 'errors'],
  },
  audit: { holds: 'The log of key uses.', may: ['bridge', 'errors', 'signer'] },
  'job-network': {
    holds: 'The network of a job: namespaces, packet rules, limits.',
    may: ['cgroup', 'errors', 'state'],
  },
  network: { holds: 'network_*: asks DNS, and admits.', may: ['bridge', 'job-network'] },
  sandbox: { holds: 'A job apart from its host.', may: ['cgroup', 'errors', 'state'] },
  deployment: {
    holds: 'One deployment as it is given, and what a job asks about it.',
    may: ['bridge', 'errors', 'sandbox', 'signer'],
  },
  config: {
    holds: "The configuration file: the rooms' sections as one.",
    may: ['bridge', 'job-network', 'sandbox', 'signer'],
  },
  host: {
    holds: 'What all deployments of one process share, and the bridge of each.',
    may: [
      'audit',
      'bridge',
      'config',
      'deployment',
      'job-network',
      'network',
      'sandbox',
      'signer',
      'state',
    ],
  },
  execution: {
    holds: 'One execution of a deployment, from its image to its end.',
    may: [
      'bridge',
      'config',
      'deployment',
      'errors',
      'host',
      'job-network',
      'network',
      'sandbox',
      'signer',
      'state',
    ],
  },
  supervisor: {
    holds: 'Many deployments over time.',
    may: ['deployment', 'errors', 'execution', 'network', 'signer'],
  },
  control: { holds: "The daemon's control socket and its client.", may: ['errors', 'supervisor'] },
  daemon: {
    holds: 'The daemon: one host, its supervisor, its control socket.',
    may: [
      'config',
      'control',
      'deployment',
      'errors',
      'execution',
      'host',
      'signer',
      'state',
      'supervisor',
    ],
  },
  doctor: {
    holds: 'What this host can do, checked.',
    may: ['cgroup', 'config', 'job-network', 'sandbox', 'signer', 'state'],
  },
  cli: {
    holds: 'The command: arguments to one call, results to text.',
    may: [
      'audit',
      'bridge',
      'config',
      'control',
      'daemon',
      'deployment',
      'doctor',
      'errors',
      'execution',
      'host',
      'job-network',
      'network',
      'sandbox',
      'signer',
      'state',
      'supervisor',
    ],
  },
}

/** The only files of `runtime/src` outside its rooms. */
const entrances = ['main.ts', 'harden-first.ts']
/** Source files of one folder, headers aside. */
const mostFiles = 16
/** Names that a folder gives to others outside its room. */
const mostNames = 25
/** The contract is nothing but names. */
const contract = '@causeway/guest-sdk/protocol'

/** Text of each source file, by its path from the root of the repository. */
export type Sources = ReadonlyMap<string, string>

export function readSources(): Sources {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const isSource = (path: string) => /\.(ts|c|cc)$/.test(path) && !path.endsWith('.test.ts')
  const pathsOf = (name: string) =>
    readdirSync(join(root, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(isSource)
      .map((path) => `${name}/src/${path}`)
  const paths = Object.keys(packages).flatMap(pathsOf)
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** What is against the rules of the house, a line each. */
export function faultsOf(sources: Sources): string[] {
  const imports = [...sources].flatMap(([path, text]) => importsOf(path, text))
  return [
    ...strayFiles(sources),
    ...largeFolders(sources),
    ...wrongArrows(imports),
    ...wideDoors(imports),
    ...circles(imports),
  ]
}

interface Import {
  from: string
  /** A source file, or a package's name with its door. */
  to: string
  names: readonly string[]
}

const statement =
  /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*[^'"{]*?|[\w$]+)\s*from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm

function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(statement)].map(([, names = '*', ...targets]) => {
    const target = targets.find(Boolean)!
    return { from, to: resolved(from, target), names: namesIn(names) }
  })
}

function resolved(from: string, target: string): string {
  return target.startsWith('.') ? normalize(join(dirname(from), target)) : target
}

function namesIn(clause: string): string[] {
  const names = clause.replaceAll(/[{}]/g, '').split(',')
  return names.map((name) => name.trim().replace(/^type\s+|\s+as\s.*$/g, '')).filter(Boolean)
}

function packageOf(path: string): string {
  return /^@causeway\/([^/]+)/.exec(path)?.[1] ?? path.split('/')[0]!
}

/** Of a file of the runtime, its room or its own name. */
function roomOf(path: string): string | undefined {
  return /^runtime\/src\/([^/]+)/.exec(path)?.[1]
}

function strayFiles(sources: Sources): string[] {
  const found = [...sources.keys()].map((path) => roomOf(path) ?? 'errors')
  const stray = [...new Set(found)].filter(
    (name) => !Object.hasOwn(rooms, name) && !entrances.includes(name),
  )
  return stray.map((name) => `runtime/src/${name}: stray, expected a room of test/support/house.ts`)
}

function largeFolders(sources: Sources): string[] {
  const folders = grouped([...sources.keys()], dirname)
  return [...folders]
    .filter(([, files]) => files.length > mostFiles)
    .map(([folder, { length }]) => `${folder}: ${length} files, expected at most ${mostFiles}`)
}

function wrongArrows(imports: readonly Import[]): string[] {
  const ours = imports.filter(({ to }) => to.startsWith('@causeway/') || to.includes('/src/'))
  return ours.filter((arrow) => !mayImport(arrow)).map(({ from, to }) => `${from}: imports ${to}`)
}

function mayImport({ from, to }: Import): boolean {
  const [a, b] = [packageOf(from), packageOf(to)]
  if (a !== b) return to.startsWith('@') && (packages[a]?.includes(b) ?? false)
  const [room, other] = [roomOf(from), roomOf(to)]
  if (room === undefined || other === undefined || room === other) return true
  if (entrances.includes(room)) return other === 'cli' || entrances.includes(other)
  return rooms[room]?.may.includes(other) ?? false
}

/** Names that others outside a room or package import from one of its folders or doors. */
function wideDoors(imports: readonly Import[]): string[] {
  const doors = new Map<string, Set<string>>()
  for (const { from, to, names } of imports) {
    const door = to.startsWith('@causeway/') ? to : dirname(to)
    if (!to.startsWith('@causeway/') && (roomOf(from) === roomOf(to) || !roomOf(to))) continue
    for (const name of names) doors.set(door, (doors.get(door) ?? new Set()).add(name))
  }
  return [...doors]
    .filter(([door, { size }]) => size > mostNames && door !== contract)
    .map(([door, { size }]) => `${door}: ${size} names go out, expected at most ${mostNames}`)
}

/** Types count, too: files that import each other are read together. */
function circles(imports: readonly Import[]): string[] {
  const next = grouped(imports, ({ from }) => from)
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, way: readonly string[]) => {
    const at = way.indexOf(path)
    if (at >= 0) return void found.push(`circle: ${[...way.slice(at), path].join(' → ')}`)
    if (done.has(path)) return
    for (const { to } of next.get(path) ?? []) visit(to, [...way, path])
    done.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return found
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
