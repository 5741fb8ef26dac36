/** Composition root of a bridge: connects one deployment's keys, facts and policy. @module */
import { randomBytes } from 'node:crypto'
import { decodeSs58 } from '@causeway/manifest'
import type { Membership } from '@causeway/native'
import { orUndoNow } from '@causeway/service/failure'
import type { Logger } from '@causeway/service/log'
import { hexBytes } from '../bridge/hex.ts'
import { discoverHandlers } from '../bridge/openrpc/discover.ts'
import { closeAll, handlersOf } from '../bridge/capability.ts'
import { createDispatch, type CallRecord } from '../bridge/dispatch.ts'
import { createGate } from '../bridge/gate.ts'
import { noLimits } from '../bridge/limits/limits.ts'
import { startListener } from '../bridge/listener.ts'
import { deploymentHandlers, type DeploymentFacts } from '../deployment/handlers.ts'
import { emptyCid } from '../deployment/bundle.ts'
import type { Config } from '../config/config.ts'
import type { Identity } from '../deployment/identity.ts'
import type { LoadedDeployment } from '../deployment/load.ts'
import { openNetworkCapability, type NetworkCapabilityOptions } from '../network/capability.ts'
import type { LookAtNetwork } from '../network/network-view.ts'
import { processorHandlers } from '../deployment/processor-handlers.ts'
import { signerHandlers } from '../signer/handlers.ts'
import type { SignerBackend } from '../signer/backend.ts'
import type { OpenKeys } from './keys.ts'

/** What a bridge needs beside the deployment and its keys. */
export interface BridgeOptions extends Pick<NetworkCapabilityOptions, 'verifyHost' | 'network'> {
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
  const { config, backend, log, observe, network: jobNetwork } = options
  const namespace = jobNetwork?.namespace
  const open = (): OpenBridge => {
    const network = openNetworkCapability({
      ...options,
      source: hexBytes(keys.identity.origin.source),
      connectionLimits: options.config.network,
      networkRequests: loaded.deployment.networkRequests,
    })
    const signer = {
      handlers: signerHandlers(keys.keyring, keys.uses),
      facts: { signer: backend.name },
      close: async () => keys.close(),
    }
    const { level } = config.bridge
    const limits = options.noLimits ? noLimits : config.bridge.limits
    const { methods } = loaded.deployment.policy
    const gateOptions = { level, ...(methods && { allowedMethods: methods }) }
    const facts = { ...signer.facts, ...network.facts }
    const handlers = handlersOf([
      { handlers: processorHandlers(level) },
      { handlers: deploymentHandlers(factsOf(loaded, keys)) },
      signer,
      network,
      { handlers: discoverHandlers({ ...gateOptions, ...facts }) },
    ])
    const listener = startListener({
      name: socket,
      ...(namespace !== undefined && { network: namespace }),
      answer: createDispatch({
        handlers,
        gate: createGate(gateOptions),
        limits,
        keyCost: backend.cost,
        log,
        ...(observe && { observe }),
      }),
      commit: keys.uses.commit,
      limits,
      log,
      deployment: keys.identity.id,
    })
    const close = (): Promise<void> => {
      listener.stop()
      return closeAll([signer, network])
    }
    return {
      socket,
      identity: keys.identity,
      admit: (membership) => listener.admit(membership),
      lookAtNetwork: network.look,
      close,
    }
  }
  return orUndoNow(open, keys.close)
}

/** Facts that a deployment can ask for about itself. */
function factsOf(
  { deployment, bundle }: LoadedDeployment,
  { identity, keyring }: OpenKeys,
): DeploymentFacts {
  return {
    id: identity.id,
    origin: identity.origin,
    ipfsHash: deployment.ipfsHash ?? bundle?.cid ?? emptyCid,
    slot: deployment.slot,
    processorAddress: identity.processor.address,
    assignedProcessors: others(deployment.assignedProcessors, identity.processor.account),
    publicKeys: keyring.publicKeys,
    encryptionKeys: keyring.encryptionKeys,
  }
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
