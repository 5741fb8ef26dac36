/**
 * Causeway's error data: the reason in `kind`, and whether a retry may help.
 * @module
 */
import { isNotServed } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { CheckSkipped, expectThat } from '../outcome.ts'
import { requestText } from '../request.ts'
import { errorOf } from '../response.ts'
import { sections } from '../sections.ts'

interface Row {
  kind: string
  /** A line that fails with this kind. */
  line: string
}

const line = (method: string, params: object) => requestText(method, JSON.stringify([params]))
const digest = '00'.repeat(32)
const agreement = { curve: 'p256', salt: '00', bytes: '00'.repeat(40) }

const rows: readonly Row[] = [
  { kind: 'PARSE', line: '{' },
  { kind: 'INVALID_REQUEST', line: '1' },
  { kind: 'METHOD_NOT_FOUND', line: requestText('conformance_nonsense') },
  { kind: 'INVALID_PARAMS', line: line('signer_sign', { curve: 'p256', bytes: 'x' }) },
  { kind: 'UNSUPPORTED_CURVE', line: line('signer_sign', { curve: 'p384', bytes: digest }) },
  {
    kind: 'BAD_DERIVATION_PATH',
    line: line('signer_publicKey', { curve: 'secp256k1', derivationPath: 'x' }),
  },
  { kind: 'BAD_DIGEST_LENGTH', line: line('signer_sign', { curve: 'p256', bytes: '00' }) },
  { kind: 'BAD_PUBLIC_KEY', line: line('signer_encrypt', { ...agreement, publicKey: '00' }) },
  { kind: 'BAD_HOST', line: line('network_whitelist', { host: 'example.com:443' }) },
  {
    kind: 'DECRYPT_FAILED',
    // The curve's generator, which every p256 implementation accepts as a key.
    line: line('signer_decrypt', {
      ...agreement,
      publicKey: '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
    }),
  },
]

async function expectKind(bridge: Bridge, { kind, line: sent }: Row): Promise<void> {
  const error = errorOf(await bridge.exchange([`${sent}\n`]))
  const { data, message } = error
  if (kind !== 'METHOD_NOT_FOUND' && isNotServed(error)) {
    throw new CheckSkipped(`the method is not served: ${message}`)
  }
  expectThat(data?.['kind'] === kind, `data.kind ${kind}`, data)
  expectThat(typeof data?.['retryable'] === 'boolean', 'data.retryable true or false', data)
  expectThat(message !== '', 'a message for people', message)
}

/** Checks of error data. */
export const errorKindChecks: readonly Check[] = rows.map((row) => ({
  id: `error.${row.kind.toLowerCase().replaceAll('_', '-')}`,
  section: sections.errors,
  title: `data says kind ${row.kind} and whether to retry`,
  profile: 'causeway',
  run: (bridge) => expectKind(bridge, row),
}))
