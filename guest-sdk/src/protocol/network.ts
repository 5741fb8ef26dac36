export interface WhitelistParams {
  /**
   * Bare hostname in ASCII or UTF-8: no scheme, port or path, no address. Its owner consents by publishing, as TXT
   * record of `_acu.<host>`, `v=<base64(sha256(source || host))>` with this deployment's `source`;
   * each address's owner does so at `_acu.` and the name that the address points back to.
   */
  host: string
}

export interface NetworkMethods {
  /**
   * Lifts the rate limit for connections to those addresses of the host that pass. It stays lifted
   * for the records' TTL (60 s to 1 h); the processor verifies again while the job runs.
   */
  network_whitelist: { params: [WhitelistParams]; result: Record<string, never> }
}
