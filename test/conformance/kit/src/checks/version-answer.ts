/**
 * The call that most transport checks make, and its answer.
 * @module
 */
import type { Bridge, ExchangeOptions } from '../check.ts'
import type { Received } from '../input.ts'
import { expectThat } from '../outcome.ts'
import { versionRequest } from '../request.ts'
import { responseOf, resultOf } from '../response.ts'

/** Fails unless the bytes are the answer to {@link versionRequest}. */
export function expectVersion(received: Received, id: unknown = '1'): void {
  const { version } = resultOf(received)
  expectThat(typeof version === 'string', 'a result with a version', version)
  const found = responseOf(received).id
  expectThat(found === id, `id ${JSON.stringify(id)}`, found)
}

/** Sends the pieces, which together are {@link versionRequest}, and expects its answer. */
export async function expectAnswered(
  bridge: Bridge,
  pieces: readonly (string | Buffer)[],
  options?: ExchangeOptions,
): Promise<Received> {
  const received = await bridge.exchange(pieces, options)
  expectVersion(received)
  return received
}

/** Fails unless the bridge still serves others. */
export async function expectAlive(bridge: Bridge): Promise<void> {
  await expectAnswered(bridge, [`${versionRequest}\n`])
}
