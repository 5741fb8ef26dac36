/** Builds the environment that the job sees (bridge spec, Sandbox defaults). @module */
const defaults = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
}

/**
 * Merges the spec's defaults, the declared variables and the host's; later ones replace earlier
 * ones. The environment contains nothing of the host's own environment.
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

// The kernel accepts 128 KiB for one string (MAX_ARG_STRLEN), the guest's init 256 KiB and 4,095
// variables in all. The margins leave room for what the host adds.
const maxEntryBytes = 128 * 1024 - 1
const maxTotalBytes = 255 * 1024
const maxVariables = 4_080

/** What is too large in a declared environment, to follow the field's name; never shows a value. */
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

/** The input of the guest's init: NUL-terminated arguments, an empty one, then the environment. */
export function startBlock(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Buffer {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return Buffer.from([...command, '', ...variables].map((text) => `${text}\0`).join(''))
}
