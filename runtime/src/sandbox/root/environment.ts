/**
 * The environment that the job sees (bridge spec, Sandbox defaults).
 * @module
 */
const defaults = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
}

/**
 * Spec defaults, the declared variables over them, and what the host sets over those. Nothing of
 * the host's own environment is in it.
 * @param host variables that a deployment can't change, such as BRIDGE_SOCKET
 * @param preload guest path of a library to load before those that the deployment preloads
 */
export function jobEnvironment(
  declared: Readonly<Record<string, string>>,
  host: Readonly<Record<string, string>>,
  preload?: string,
): Record<string, string> {
  const environment: Record<string, string> = { ...defaults, ...declared, ...host }
  if (preload === undefined) return environment
  const others = declared['LD_PRELOAD']
  return { ...environment, LD_PRELOAD: others ? `${preload}:${others}` : preload }
}

// The kernel takes 128 KiB for one string (MAX_ARG_STRLEN), the guest's init 256 KiB and 4,095
// variables in all; the margins are for what the host adds.
const maxEntryBytes = 128 * 1024 - 1
const maxTotalBytes = 255 * 1024
const maxVariables = 4_080

/** What is too large in a declared environment: a suffix for its name; never a value. */
export function environmentFault(declared: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(declared)
  const sizes = entries.map(
    ([name, value]) => Buffer.byteLength(name) + Buffer.byteLength(value) + 2,
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const tooLong = entries.find((_entry, index) => (sizes[index] ?? 0) > maxEntryBytes)
  if (tooLong)
    return `.${tooLong[0]}: expected at most ${maxEntryBytes} bytes with its name, found more`
  if (entries.length > maxVariables)
    return `: expected at most ${maxVariables} variables, found ${entries.length}`
  return total > maxTotalBytes
    ? `: expected at most ${maxTotalBytes} bytes in all, found ${total}`
    : undefined
}

/** What to run, as the guest's init reads it: NUL-ended arguments, an empty one, the environment. */
export function startBlock(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Buffer {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return Buffer.from([...command, '', ...variables].map((text) => `${text}\0`).join(''))
}
