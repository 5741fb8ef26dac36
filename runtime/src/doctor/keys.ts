/**
 * Checks how keys are kept: the root secret, the signer, and the memory that keys are in.
 * @module
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { chooseBackend } from '../signer/choose-backend.ts'
import { givenPassphrase } from '../signer/root/passphrase.ts'
import { findRoot, type KeptRoot } from '../signer/root/root-secret.ts'
import { isSealed, unsealRoot } from '../signer/root/sealed-root.ts'
import { failure, ok, warning, type Check, type CheckedHost, type Outcome } from './finding.ts'
import { softLimit } from './resources.ts'

const secretBytes = 32

/** Reports how the root secret is kept; neither makes nor changes it. */
export const rootSecretCheck: Check = {
  name: 'root secret',
  async look(host) {
    const kept = findRoot(host.openState().root)
    if (!kept) return ok('not made yet; the first start makes it')
    try {
      if (!isSealed(kept.content)) return plain(kept)
      return earlierInTheClear(kept) ?? (await sealed(kept, host))
    } finally {
      kept.content.fill(0)
    }
  },
}

/** Looks for an earlier root secret in the clear, which a rotation has kept: it helps a thief, too. */
function earlierInTheClear({ path }: KeptRoot): Outcome | undefined {
  const folder = dirname(path)
  const isEarlier = (name: string) => name.startsWith(`${basename(path)}.`) && name.endsWith('.old')
  const inTheClear = readdirSync(folder)
    .filter(isEarlier)
    .find((name) => statSync(join(folder, name)).size === secretBytes)
  return inTheClear === undefined
    ? undefined
    : warning(
        `${path}, sealed; but ${inTheClear} beside it is an earlier one in the clear`,
        'delete it when nothing needs it',
      )
}

/** Opens the secret only with a passphrase that was given: `doctor` asks nothing. */
async function sealed({ path, content }: KeptRoot, host: CheckedHost): Promise<Outcome> {
  const passphrase = givenPassphrase(host.passphraseFile)
  if (!passphrase) return ok(`${path}, sealed under a passphrase`)
  const secret = await unsealRoot(path, content, passphrase).finally(() => passphrase.fill(0))
  secret.fill(0)
  return ok(`${path}, sealed under the passphrase that was given`)
}

function plain({ place, path, content: { length } }: KeptRoot): Outcome {
  if (length !== secretBytes)
    return failure(`${path}: expected ${secretBytes} bytes, found ${length}`)
  return place === 'credential'
    ? ok(`${path}, a systemd credential`)
    : warning(`${path}, in the clear`, 'causeway keys passphrase seals it')
}

/** Reports which signer the bridges of this host use. */
export const signerCheck: Check = {
  name: 'signer',
  async look({ config }) {
    const { backend, warning: reason, remedy } = await chooseBackend(config.signer.backend)
    const text = `${backend.name}: ${backend.detail}`
    if (backend.name === 'native') return ok(text)
    return reason !== undefined && remedy !== undefined
      ? warning(`${text}; ${reason}`, remedy)
      : warning(text, 'take signer.backend = "portable" out of the configuration')
  },
}

/** Checks whether keys can be swapped out to a disk. */
export const keyMemoryCheck: Check = {
  name: 'memory of keys',
  async look({ config }) {
    const { backend } = await chooseBackend(config.signer.backend)
    if (backend.isMemoryLocked()) return ok('locked: never swapped out')
    if (backend.name === 'portable')
      return warning('in the JavaScript heap, may be swapped out', 'see signer; or turn off swap')
    return warning(
      `may be swapped out: this process may lock ${softLimit('Max locked memory')} bytes`,
      'raise RLIMIT_MEMLOCK (LimitMEMLOCK= of a systemd unit) or turn off swap',
    )
  },
}
