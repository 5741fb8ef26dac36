/**
 * What must and must not compile. Checked by `tsc -p test`; nothing here is run.
 */
import {
  connect,
  type AssignedProcessor,
  type BridgeError,
  type DiscoveredMethod,
  type ErrorKind,
  type MethodName,
  type MethodResult,
} from '@causeway/guest-sdk'
import { expectTypeOf } from 'vitest'

const bridge = connect({ socket: 'name', timeoutMs: 1, retries: 0 })
const bytes = new Uint8Array(32)

export async function compiles() {
  expectTypeOf(await bridge.processor.version()).toEqualTypeOf<string>()
  expectTypeOf(await bridge.deployment.slot()).toEqualTypeOf<number | null>()
  expectTypeOf(await bridge.signer.sign({ curve: 'ed25519', bytes })).toEqualTypeOf<Uint8Array>()
  expectTypeOf(await bridge.deployment.assignedProcessors()).toEqualTypeOf<
    Record<string, AssignedProcessor>
  >()
  expectTypeOf((await bridge.discover()).methods).toEqualTypeOf<DiscoveredMethod[]>()
  const { publicKey, derivationPath } = await bridge.call('signer_publicKey', [{ curve: 'p256' }])
  expectTypeOf(publicKey).toEqualTypeOf<string>()
  expectTypeOf(derivationPath).toEqualTypeOf<string | undefined>()
  expectTypeOf(await bridge.network.whitelist('example.com')).toEqualTypeOf<void>()
  await bridge.deployment.id({ signal: AbortSignal.timeout(1), timeoutMs: 5 })
  await bridge.signer.publicKey({ curve: 'secp256k1', derivationPath: 'm/0' })
}

export async function doesNotCompile() {
  // @ts-expect-error There is no such curve.
  await bridge.signer.sign({ curve: 'p384', bytes })
  // @ts-expect-error Bytes are no string.
  await bridge.signer.sign({ curve: 'p256', bytes: 'ab' })
  // @ts-expect-error Bytes are missing.
  await bridge.signer.sign({ curve: 'p256' })
  // @ts-expect-error ed25519 does not encrypt.
  await bridge.signer.encrypt({ curve: 'ed25519', publicKey: bytes, salt: bytes, bytes })
  // @ts-expect-error The salt is missing.
  await bridge.signer.decrypt({ curve: 'p256', publicKey: bytes, bytes })
  // @ts-expect-error There is no such field.
  await bridge.signer.publicKey({ curve: 'p256', path: 'm/0' })
  // @ts-expect-error A path is absent or a string.
  await bridge.signer.publicKey({ curve: 'secp256k1', derivationPath: undefined })
  // @ts-expect-error A host is text, not a list.
  await bridge.network.whitelist(['example.com'])
  // @ts-expect-error There is no such method.
  await bridge.call('signer_Sign', [])
  // @ts-expect-error Params are a list.
  await bridge.call('signer_publicKey', { curve: 'p256' })
  // @ts-expect-error This method takes none.
  await bridge.call('deployment_id', [{}])
  // @ts-expect-error One param is wanted.
  await bridge.call('signer_sign', [])
  // @ts-expect-error On the wire bytes are hex.
  await bridge.call('signer_sign', [{ curve: 'p256', bytes }])
  // @ts-expect-error There is no such option.
  connect({ name: 'x' })
  // @ts-expect-error Namespaces are not replaced.
  bridge.signer = connect().signer
  // @ts-expect-error Fields of an error are not changed.
  const change = (error: BridgeError) => (error.code = 1)
  return change
}

expectTypeOf<MethodResult<'processor_version'>>().toEqualTypeOf<{ version: string }>()
expectTypeOf<'signer_sign'>().toExtend<MethodName>()
expectTypeOf<'BAD_DIGEST_LENGTH'>().toExtend<ErrorKind>()
expectTypeOf<MethodResult<'network_whitelist'>>().toEqualTypeOf<Record<string, never>>()
expectTypeOf<'PTR_TXT_MISMATCH'>().toExtend<ErrorKind>()
expectTypeOf<'NO_SUCH_KIND'>().not.toExtend<ErrorKind>()
