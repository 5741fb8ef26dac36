/**
 * Builds the native signer's inner functions into an addon, for vectors that no deployment's keys
 * would reach.
 * @module
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface SignerInternals {
  /** 32-byte numbers one after another → their inverses modulo P-256's order. */
  invert(numbers: Uint8Array): Buffer
  hkdf(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer
  hmacSha256(key: Uint8Array, message: Uint8Array): Buffer
  hmacSha512(key: Uint8Array, message: Uint8Array): Buffer
  seal(key: Uint8Array, plaintext: Uint8Array): Buffer
  /** Undefined when the tag is wrong. */
  unseal(key: Uint8Array, sealed: Uint8Array): Buffer | undefined
  /** The bytes that remain of a 32-byte secret at the end of its scope. */
  secretRemains(): Buffer
}

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const sources = ['inverse', 'hmac', 'cipher'].map((name) =>
  pathOf(`../../native/src/signer/${name}.cc`),
)
const strictness = ['-Wall', '-Wextra', '-Werror', '-DOPENSSL_SUPPRESS_DEPRECATED']
const flags = ['-O2', '-std=c++17', '-fPIC', '-shared', ...strictness]

export function buildInternals(): SignerInternals {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-internals-'))
  const built = join(folder, 'signer_internals.node')
  const includes = [pathOf('../../native/src/signer'), nodeHeaders()].flatMap((path) => [
    '-I',
    path,
  ])
  try {
    execFileSync('g++', [
      ...flags,
      ...includes,
      pathOf('signer-internals.cc'),
      ...sources,
      '-o',
      built,
    ])
    return createRequire(import.meta.url)(built) as SignerInternals
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The Node headers that the native build used. */
function nodeHeaders(): string {
  const config = readFileSync(pathOf('../../native/build/config.gypi'), 'utf8')
  const folder = /"nodedir": "([^"]+)"/.exec(config)?.[1]
  if (folder) return join(folder, 'include/node')
  throw new Error('native/build/config.gypi names no nodedir: run `npm run build:native`')
}
