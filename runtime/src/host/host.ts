/**
 * Opens what all deployments of one process share: settings, images, sandbox, networks and keys.
 * @module
 */
import type { ImageStore } from '@causeway/images'
import type { Deployment } from '@causeway/manifest'
import type { Logger } from '@causeway/service/log'
import type { Config } from '../config/config.ts'
import { openImages } from './images.ts'
import type { OpenKeys } from './keys.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { configuredVerifier } from '../network/verify/configured-verifier.ts'
import type { Networks } from '../job-network/contract.ts'
import { openNetworks } from '../job-network/networks.ts'
import type { VerifyHost } from '../network/verify/verification.ts'
import type { SignerBackend } from '../signer/backend.ts'
import type { StateFolders } from '../state/state-folders.ts'

export interface Host {
  config: Config
  state: StateFolders
  log: Logger
  backend: SignerBackend
  /** Images from the sources that the operator allows. */
  images: ImageStore
  /** Like `images`, but also from this host itself. */
  localImages: ImageStore
  sandbox: Sandbox
  networks: Networks
  verifyHost: VerifyHost
  openKeys: (deployment: Deployment) => Promise<OpenKeys> | OpenKeys
  /** Makes anew what was made of settings that have changed since; what is in use stays. */
  refresh(): void
  /** For people: features that this host lacks. */
  warnings: readonly string[]
  /** Ends what was prepared for future jobs, and waits for background work. */
  close(): Promise<void>
}

export interface HostOptions extends Pick<
  Host,
  'config' | 'state' | 'log' | 'backend' | 'openKeys'
> {
  onWarning: (message: string) => void
  /** Whether many jobs are expected, so that the next one is prepared for. Default false. */
  expectsJobs?: boolean
}

/**
 * Checks this host, and removes what dead processes left.
 * @throws StartError SANDBOX_UNAVAILABLE, NETWORK_UNAVAILABLE
 */
export async function openHost({
  onWarning,
  expectsJobs = false,
  ...options
}: HostOptions): Promise<Host> {
  const { config, state } = options
  const sandbox = await openSandbox(config.sandbox, state.deployments, { sweeps: true, onWarning })
  const networks = await openNetworks(config.network, onWarning)
  if (expectsJobs) {
    sandbox.keepSpare()
    networks.keepSpare()
  }
  const store = (allowLocal: boolean) =>
    openImages({
      config: { ...config, images: { ...config.images, allowLocal } },
      state,
      onWarning,
    })
  const openStores = () => [store(config.images.allowLocal), store(true)] as const
  let stores = openStores()
  const allStores = [...stores]
  let verifyHost = configuredVerifier(config.network)
  return {
    ...options,
    sandbox,
    networks,
    // Bridges that are open ask by the new settings, too.
    verifyHost: (...asked) => verifyHost(...asked),
    get images() {
      return stores[0]
    },
    get localImages() {
      return stores[1]
    },
    refresh() {
      stores = openStores()
      allStores.push(...stores)
      verifyHost = configuredVerifier(config.network)
    },
    warnings: warningsOf(sandbox, networks),
    async close() {
      const untidy = (error: unknown) => onWarning(`networks of jobs: ${String(error)}`)
      await Promise.all([sandbox.close(), networks.close().catch(untidy)])
      await Promise.all(allStores.map((one) => one.settled()))
    },
  }
}

function warningsOf({ missing }: Sandbox, { shortfalls }: Networks): string[] {
  return [...missing.layers, ...missing.limits, ...shortfalls].map(({ text }) => text)
}
