/** A configuration file that cannot be used; every line of the message begins with the file. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly kind = 'CONFIG_INVALID'
}
