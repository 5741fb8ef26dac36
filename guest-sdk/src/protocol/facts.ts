/** Facts about a method that a client knows without asking the host. */
export interface MethodFacts {
  /** Lowest bridge level that has the method (bridge spec, Versioning). */
  since: string
  /** `mobile`: only on hosts that embed a web view. */
  platform: 'any' | 'mobile'
}
