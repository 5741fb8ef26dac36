/**
 * Composition root of a bridge: connects one deployment's keys, facts and policy.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { decodeSs58 } from '@causeway/manifest'
import type { Membership } from '@causeway/native'
import type { Logger } from 'pino'
import { hexBytes } from '../bridge/hex.ts'
import { discoverHandlers } from '../bridge/openrpc/discover.ts'
import { createDispatch, type Answer, type CallRecord } from '../bridge/dispatch.ts'
import { createGate } from '../bridge/gate.ts'
import { noLimits, type BridgeLimits } from '../bridge/limits/limits.ts'
import { startListener } from '../bridge/listener.ts'
import { deploymentHandlers } from '../deployment/handlers.ts'
import { emptyCid } from '../deployment/bundle.ts'
import type { Config } from '../config/config.ts'
import type { Identity } from '../deployment/identity.ts'
import type { LoadedDeployment } from '../deployment/load.ts'
import {
  openBridgeNetwork,
  type BridgeNetwork,
  type BridgeNetworkOptions,
} from '../network/bridge-network.ts'
import type { LookAtNetwork } from '../network/network-view.ts'
import { processorHandlers } from '../deployment/processor-handlers.ts'
import { signerHandlers } from '../signer/handlers.ts'
import type { SignerBackend } from '../signer/backend.ts'
import type { OpenKeys } from './keys.ts'

/** What a bridge needs beside the deployment and its keys. */
export interface BridgeOptions extends Pick<BridgeNetworkOptions, 'verifyHost' | 'network'> {
  config: Config
  backend: SignerBackend
  log: Logger
  /** Socket name; default `causeway-` and 128 random bits in hex. */
  socket?: string
  /** Removes every limit except the line's size. */
  noLimits?: boolean
  observe?: (record: CallRecord) => void
}

/** A listening bridge. */
export interface OpenBridge {
  /** Value of BRIDGE_SOCKET. */
  socket: string
  identity: Identity
  /** Sets whose processes may call; before that nobody may. */
  admit(membership: Membership): void
  readonly lookAtNetwork: LookAtNetwork
  /**
   * Closes the socket, cancels DNS queries and zeroes the keys, all at once; resolves when the
   * bridge can no longer reach its network.
   */
  close(): Promise<void>
}

/**
 * Opens a deployment's bridge.
 * @param keys the bridge closes them when it closes or cannot be opened
 * @throws StartError
 */
export function openBridge(
  loaded: LoadedDeployment,
  keys: OpenKeys,
  options: BridgeOptions,
): OpenBridge {
  const socket = options.socket ?? `causeway-${randomBytes(16).toString('hex')}`
  const source = hexBytes(keys.identity.origin.source)
  const network = openBridgeNetwork({
    ...options,
    source,
    connectionLimits: options.config.network,
    networkRequests: loaded.deployment.networkRequests,
  })
  const namespace = options.network?.namespace
  try {
    const limits = options.noLimits ? noLimits : options.config.bridge.limits
    const listener = startListener({
      name: socket,
      ...(namespace !== undefined && { network: namespace }),
      answer: createAnswer(loaded, keys, options, { limits, network }),
      commit: keys.uses.commit,
      limits,
      log: options.log,
    })
    const close = (): Promise<void> => {
      listener.stop()
      const closed = network.close()
      keys.close()
      return closed
    }
    return {
      socket,
      identity: keys.identity,
      admit: (membership) => listener.admit(membership),
      lookAtNetwork: network.look,
      close,
    }
  } catch (error) {
    keys.close()
    throw error
  }
}

function createAnswer(
  { deployment, bundle }: LoadedDeployment,
  { identity, keyring, uses }: OpenKeys,
  { config, backend, log, observe }: BridgeOptions,
  { limits, network }: { limits: BridgeLimits; network: BridgeNetwork },
): Answer {
  const { level } = config.bridge
  const { methods } = deployment.policy
  const gateOptions = { level, ...(methods && { allowedMethods: methods }) }
  const facts = {
    id: identity.id,
    origin: identity.origin,
    ipfsHash: deployment.ipfsHash ?? bundle?.cid ?? emptyCid,
    slot: deployment.slot,
    processorAddress: identity.processor.address,
    assignedProcessors: others(deployment.assignedProcessors, identity.processor.account),
    publicKeys: keyring.publicKeys,
    encryptionKeys: keyring.encryptionKeys,
  }
  return createDispatch({
    handlers: {
      ...processorHandlers(level),
      ...deploymentHandlers(facts),
      ...signerHandlers(keyring, uses),
      ...network.handlers,
      ...discoverHandlers({ ...gateOptions, signer: backend.name, network: network.facts }),
    },
    gate: createGate(gateOptions),
    limits,
    keyCost: backend.cost,
    log,
    ...(observe && { observe }),
  })
}

/** Entries of other processors; an address is compared by its key, whatever its prefix. */
function others<T>(
  processors: Readonly<Record<string, T>>,
  account: Uint8Array,
): Record<string, T> {
  const entries = Object.entries(processors).filter(
    ([address]) => Buffer.compare(decodeSs58(address).publicKey, account) !== 0,
  )
  return Object.fromEntries(entries)
}
