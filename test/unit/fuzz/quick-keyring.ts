/**
 * The real keyring, each different operation done once: curves in JavaScript take milliseconds, and
 * the fuzz tests draw most keys, digests and paths from small sets.
 * @module
 */
import { createKeyring, type Keyring } from '../../../runtime/src/signer/keyring.ts'
import { fixedKeys } from '../../support/deployment-keys.ts'

export function quickKeyring(): Keyring {
  const keyring = createKeyring(fixedKeys())
  return {
    ...keyring,
    publicKey: remember((curve, path) => keyring.publicKey(curve, path)),
    sign: remember((curve, bytes, path) => keyring.sign(curve, bytes, path)),
    encrypt: remember((peer, plaintext) => keyring.encrypt(peer, plaintext)),
    decrypt: remember((peer, sealed) => keyring.decrypt(peer, sealed)),
  }
}

/** Gives the first outcome again, be it a result or an exception. */
function remember<A extends unknown[], R>(run: (...input: A) => R) {
  const outcomes = new Map<string, () => R>()
  return (...input: A): R => {
    const key = JSON.stringify(input)
    const outcome = outcomes.get(key) ?? outcomeOf(() => run(...input))
    outcomes.set(key, outcome)
    return outcome()
  }
}

function outcomeOf<R>(run: () => R): () => R {
  try {
    const result = run()
    return () => result
  } catch (error) {
    return () => {
      throw error
    }
  }
}
