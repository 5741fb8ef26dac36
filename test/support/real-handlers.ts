/**
 * The handlers that the daemon serves, over fixed keys and facts.
 * @module
 */
import { discoverHandlers } from '../../runtime/src/bridge/openrpc/discover.ts'
import type { Handlers } from '../../runtime/src/bridge/methods.ts'
import { implementedLevel } from '../../runtime/src/bridge/level.ts'
import { networkHandlers } from '../../runtime/src/network/handlers.ts'
import { deploymentHandlers, type DeploymentFacts } from '../../runtime/src/deployment/handlers.ts'
import { processorHandlers } from '../../runtime/src/deployment/processor-handlers.ts'
import { noKeyUses } from '../../runtime/src/audit/key-uses.ts'
import { signerHandlers, type KeyUseRecorder } from '../../runtime/src/signer/handlers.ts'
import { createKeyring, type Keyring } from '../../runtime/src/signer/keyring.ts'
import { fixedKeys } from './deployment-keys.ts'
import { native } from './signer-backends.ts'
import { consenting } from './verifications.ts'

/** What the bridge of {@link realHandlers} says of its deployment. */
export const fixedFacts = {
  id: '3510',
  origin: { kind: 'Substrate', source: '11'.repeat(32) },
  ipfsHash: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
  slot: 3,
  processorAddress: '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY',
  assignedProcessors: {},
}

export function realHandlers(
  facts: Partial<DeploymentFacts> = {},
  keyring: Keyring = createKeyring(native.openKeys(fixedKeys())),
  uses: KeyUseRecorder = noKeyUses,
): Handlers {
  const { publicKeys, encryptionKeys } = keyring
  return {
    ...processorHandlers(implementedLevel),
    ...deploymentHandlers({ ...fixedFacts, publicKeys, encryptionKeys, ...facts }),
    ...signerHandlers(keyring, uses),
    ...networkHandlers(consenting('example.com')),
    ...discoverHandlers({ level: implementedLevel }),
  }
}
