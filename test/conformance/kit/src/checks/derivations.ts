/**
 * Keys at a derivation path.
 * @module
 */
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { signingCurves } from '../curves.ts'
import { expectThat } from '../outcome.ts'
import { codes } from '../response.ts'
import { sections } from '../sections.ts'
import { checkSignatures, refusesSign } from './signing.ts'

const section = sections.signer
const path = "m/44'/60'/0'/0/0"
const badPaths = ['', 'x', 'm/', '44/60', 'm/a', 'm/-1', 'm/1.5', 'm/4294967296', 'm//0', 'm/0/']

async function checkDerivation(bridge: Bridge): Promise<void> {
  const curve = 'secp256k1'
  const derived = await resultOfCall(bridge, 'signer_publicKey', { curve, derivationPath: path })
  expectThat(derived['derivationPath'] === path, path, derived['derivationPath'])
  const plain = await resultOfCall(bridge, 'signer_publicKey', { curve })
  const isAnother = derived['publicKey'] !== plain['publicKey']
  expectThat(isAnother, 'another key than without a path', derived['publicKey'])
  await checkSignatures(bridge, curve, { derivationPath: path })
}

async function checkNoPath(bridge: Bridge): Promise<void> {
  for (const curve of signingCurves) {
    const result = await resultOfCall(bridge, 'signer_publicKey', { curve })
    expectThat(!('derivationPath' in result), 'no derivationPath', result)
  }
}

/** Checks of derivation. */
export const derivationChecks: readonly Check[] = [
  {
    id: 'derivation.unasked',
    section,
    title: 'derivationPath is in the result only if it was given',
    run: checkNoPath,
  },
  {
    id: 'derivation.secp256k1',
    section,
    title: 'a secp256k1 key at a path is another key, signs, and its path is echoed',
    // The specification leaves the form of a path open.
    profile: 'causeway',
    run: checkDerivation,
  },
  ...(['p256', 'ed25519'] as const).map((curve): Check => ({
    id: `derivation.${curve}`,
    section,
    title: `${curve} has no derivation: -32602`,
    profile: 'causeway',
    run: (bridge) => refusesSign(bridge, { curve, bytes: '00'.repeat(32), derivationPath: path }),
  })),
  {
    id: 'derivation.bad-path',
    section,
    title: 'a malformed path: -32602',
    profile: 'causeway',
    async run(bridge) {
      for (const derivationPath of badPaths) {
        const params = { curve: 'secp256k1', derivationPath }
        await refusalOfCall(bridge, codes.invalidParams, 'signer_publicKey', params)
      }
    },
  },
]
