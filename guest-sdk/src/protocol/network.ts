export interface WhitelistParams {
  /**
   * Bare hostname: no scheme, port or path, and no address. Its owner publishes, as the TXT record
   * `v=<base64(sha256(source || host))>` of `_acu.<host>`, that this deployment's owner may reach it;
   * so does the owner of each address, at `_acu.` and the name that the address points back to.
   */
  host: string
}

export interface NetworkMethods {
  /**
   * Connections to the host's addresses that pass are not rate-limited any more. They hold for the
   * records' TTL (60 s to 1 h) and are checked again by the processor as long as the job runs.
   */
  network_whitelist: { params: [WhitelistParams]; result: Record<string, never> }
}
