/** Chooses the signer backend of this process. @module */
import { nativeBackend } from './native-backend.ts'
import { selfTest } from './self-test.ts'
import type { SignerBackend } from './backend.ts'
import type { SignerSettings } from './settings.ts'

/** The chosen backend. */
export interface ChosenBackend {
  backend: SignerBackend
  /** Why `auto` fell back to the portable one. */
  warning?: string
  /** What to do about that. */
  remedy?: string
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
    return { backend: await portable(), warning, remedy: remedyOf(cause) }
  }
}

/** Imported only when needed: the native signer uses none of its libraries. */
async function portable(): Promise<SignerBackend> {
  const { portableBackend } = await import('./portable/backend.ts')
  return portableBackend
}

function remedyOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code === 'ERR_NATIVE_NOT_BUILT'
    ? 'build the native signer: npm run build:native'
    : 'report this: the native signer works, but not right on this machine'
}

/** The loader's message names the missing symbol or library. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
