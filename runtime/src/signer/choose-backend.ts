/**
 * Which signer this process uses.
 * @module
 */
import { nativeBackend } from './native-backend.ts'
import { selfTest } from './self-test.ts'
import type { SignerBackend } from './backend.ts'
import type { SignerSettings } from './settings.ts'

/** The signer, and why it is not the native one where that was wished for. */
export interface ChosenBackend {
  backend: SignerBackend
  warning?: string
}

/** @throws Error when the setting is `native` and the native signer does not work here */
export async function chooseBackend(setting: SignerSettings['backend']): Promise<ChosenBackend> {
  if (setting === 'portable') return { backend: await portable() }
  try {
    const backend = nativeBackend()
    selfTest(backend)
    return { backend }
  } catch (cause) {
    const reason = reasonOf(cause as Error)
    if (setting === 'native')
      throw new Error(`signer.backend: expected native to work here, found: ${reason}`, { cause })
    const warning = `the portable signer is used, which is slow and leaves keys in memory: ${reason}`
    return { backend: await portable(), warning }
  }
}

/** Loaded only where it is used: the native signer needs none of its libraries. */
async function portable(): Promise<SignerBackend> {
  const { portableBackend } = await import('./portable/backend.ts')
  return portableBackend
}

/** The loader's own words say which symbol or library is missing. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
