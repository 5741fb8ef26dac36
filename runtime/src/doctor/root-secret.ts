/** @module */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { givenPassphrase } from '../signer/root/passphrase.ts'
import { findRoot, type KeptRoot } from '../signer/root/root-secret.ts'
import { isSealed, unsealRoot } from '../signer/root/sealed-root.ts'
import { failure, ok, warning, type Check, type Host, type Outcome } from './finding.ts'

const secretBytes = 32

/** How the root secret is kept; it is neither made nor changed. */
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

/** What a rotation kept is of use to a thief, too. */
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

/** Opened only when that needs no question. */
async function sealed({ path, content }: KeptRoot, host: Host): Promise<Outcome> {
  const passphrase = givenPassphrase(host.passphraseFile)
  if (!passphrase) return ok(`${path}, sealed under a passphrase`)
  try {
    const secret = await unsealRoot(path, content, passphrase)
    secret.fill(0)
    return ok(`${path}, sealed under the passphrase that was given`)
  } finally {
    passphrase.fill(0)
  }
}

function plain({ place, path, content: { length } }: KeptRoot): Outcome {
  if (length !== secretBytes)
    return failure(`${path}: expected ${secretBytes} bytes, found ${length}`)
  return place === 'credential'
    ? ok(`${path}, a systemd credential`)
    : warning(`${path}, in the clear`, 'causeway keys passphrase seals it')
}
