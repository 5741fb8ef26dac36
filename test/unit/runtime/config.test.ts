import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { defaultLimits } from '../../../runtime/src/bridge/limits/limits.ts'
import { loadConfig } from '../../../runtime/src/config/config.ts'
import { takeOver } from '../../../runtime/src/config/take-over.ts'
import { test } from '../../support/folder-fixture.ts'
import { thrownBy } from '../../support/thrown.ts'

const defaults = {
  log: { level: 'warn' },
  processor: { ss58Prefix: 42, originKind: 'Substrate' },
  bridge: { level: '1.27.0', limits: defaultLimits },
  signer: { backend: 'auto' },
  audit: { maxSegmentBytes: 64 * 1024 * 1024, maxSegments: 16 },
  network: {
    mode: 'auto',
    enforce: 'auto',
    connectionsPerSecond: 10,
    connectionBurst: 20,
    bytesPerSecond: 12_500_000,
    byteBurst: 25_000_000,
    dnsPerSecond: 50,
    dnsBurst: 100,
    allow: [],
    resolvers: [],
  },
  images: { allowLocal: false, maxCacheBytes: 20 * 1024 ** 3 },
  logs: { maxBytes: 10 * 1024 * 1024, maxFiles: 5 },
  sandbox: {
    bundlePath: '/root/job',
    proot: 'proot',
    backend: 'proot',
    insecure: false,
    cpuPinning: 'auto',
    qemu: false,
    memoryBytes: 0,
    storageBytes: 8 * 1024 ** 3,
    maxProcesses: 1024,
    maxFiles: 0,
    uidBase: 1_900_000_000,
    stopGraceMs: 5_000,
  },
}

function write(folder: string, text: string): string {
  const file = join(folder, 'causeway.toml')
  writeFileSync(file, text)
  return file
}

describe('configuration', () => {
  test('without a file is the defaults', () => {
    expect(loadConfig(undefined)).toEqual(defaults)
  })

  test('of an empty file is the defaults', ({ folder }) => {
    expect(loadConfig(write(folder, ''))).toEqual(defaults)
  })

  test.for([
    {
      text: '[bridge]\nlevel = "1.25.0"',
      section: 'bridge',
      value: { ...defaults.bridge, level: '1.25.0' },
    },
    {
      text: '[bridge.limits]\nmaxConnections = 9\n[bridge.limits.key]\nburst = 7',
      section: 'bridge',
      value: {
        ...defaults.bridge,
        limits: { ...defaultLimits, maxConnections: 9, key: { ...defaultLimits.key, burst: 7 } },
      },
    },
    {
      text: '[audit]\nmaxSegments = 3',
      section: 'audit',
      value: { ...defaults.audit, maxSegments: 3 },
    },
    { text: '[signer]\nbackend = "portable"', section: 'signer', value: { backend: 'portable' } },
    {
      text: '[images]\nallowLocal = true',
      section: 'images',
      value: { ...defaults.images, allowLocal: true },
    },
    {
      text: '[processor]\nss58Prefix = 0\noriginKind = "Vara"',
      section: 'processor',
      value: { ss58Prefix: 0, originKind: 'Vara' },
    },
    {
      text: '[network]\nmode = "shared"\nallow = ["10.0.0.0/8", "fd00::1"]\nresolvers = ["[::1]:5353"]',
      section: 'network',
      value: {
        ...defaults.network,
        mode: 'shared',
        allow: ['10.0.0.0/8', 'fd00::1'],
        resolvers: ['[::1]:5353'],
      },
    },
    {
      text: '[sandbox]\nbundlePath = "/srv/job"\nstopGraceMs = 0',
      section: 'sandbox',
      value: { ...defaults.sandbox, bundlePath: '/srv/job', stopGraceMs: 0 },
    },
    ...[65_536, 4_227_727_359].map((uidBase) => ({
      text: `[sandbox]\nuidBase = ${uidBase}`,
      section: 'sandbox',
      value: { ...defaults.sandbox, uidBase },
    })),
  ])('$text', ({ text, section, value }, { folder }) => {
    expect(loadConfig(write(folder, text))).toEqual({ ...defaults, [section]: value })
  })

  test.for([
    { text: 'x = 1', says: 'x: there is no such setting' },
    { text: '[bridge]\nlevels = "1.25.0"', says: 'bridge.levels: there is no such setting' },
    {
      text: '[bridge.limits]\nmaxLineBytes = 12',
      says: 'bridge.limits.maxLineBytes: expected a whole number from 1024 to 67108864, found 12',
    },
    {
      text: '[signer]\nbackend = "fast"',
      says: 'signer.backend: expected one of auto, native, portable, found "fast"',
    },
    {
      text: '[audit]\nmaxSegmentBytes = 1000',
      says: 'audit.maxSegmentBytes: expected a whole number from 65536 to 1073741824, found 1000',
    },
    {
      text: '[bridge.limits.read]\nperSecond = inf',
      says: 'bridge.limits.read.perSecond: expected a whole number from 1 to 1000000, found Infinity',
    },
    {
      text: '[bridge.limits]\nmaxLineBytes = 67108864',
      says: 'bridge.limits.maxLineBytes: expected at most maxBufferedBytes, or such a line could never come whole, found 67108864',
    },
    { text: '[nothing]', says: 'nothing: there is no such setting' },
    { text: '[bridge]\nlevel = "1.28.0"', says: 'bridge.level: expected at most 1.27.0' },
    { text: '[bridge]\nlevel = "2.0.0"', says: 'bridge.level: expected at most 1.27.0' },
    { text: '[bridge]\nlevel = "1.25"', says: 'bridge.level: expected major.minor.patch' },
    { text: '[bridge]\nlevel = 1.25', says: 'bridge.level: ' },
    { text: 'bridge = 3', says: 'bridge: ' },
    { text: '[[bridge]]\nlevel = "1.25.0"', says: 'bridge.0: there is no such setting' },
    { text: '[processor]\nss58Prefix = 16384', says: 'processor.ss58Prefix: ' },
    { text: '[processor]\nss58Prefix = -1', says: 'processor.ss58Prefix: ' },
    { text: '[processor]\nss58Prefix = 1.5', says: 'processor.ss58Prefix: ' },
    { text: '[processor]\noriginKind = ""', says: 'processor.originKind: ' },
    {
      text: '[network]\nmode = "open"',
      says: 'network.mode: expected one of auto, isolated, shared, found "open"',
    },
    {
      text: '[network]\nenforce = true',
      says: 'network.enforce: expected one of auto, required, found true',
    },
    {
      text: '[network]\nallow = ["10.0.0.0/33"]',
      says: 'network.allow.0: expected an address or ADDRESS/PREFIX, such as 10.0.0.0/8, found "10.0.0.0/33"',
    },
    { text: '[network]\nallow = ["example.org"]', says: 'network.allow.0: expected an address' },
    { text: '[network]\nallow = ["fe80::1%eth0"]', says: 'network.allow.0: expected an address' },
    { text: '[network]\nresolvers = ["dns.example"]', says: 'network.resolvers.0: ' },
    {
      text: '[network]\nresolvers = ["1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4"]',
      says: 'network.resolvers: expected at most 3',
    },
    {
      text: '[network]\nconnectionsPerSecond = 1\nconnectionBurst = 201',
      says: 'network.connectionBurst: expected at most 200 times connectionsPerSecond, found 201',
    },
    {
      text: '[network]\nbytesPerSecond = 1999',
      says: 'network.bytesPerSecond: expected 0 or at least 2000, found 1999',
    },
    {
      text: '[network]\nbytesPerSecond = 4294967296',
      says: 'network.bytesPerSecond: expected a whole number from 0 to 4294967295',
    },
    {
      text: '[network]\nbyteBurst = 4294967296',
      says: 'network.byteBurst: expected a whole number from 65536 to 4294967295',
    },
    {
      text: '[network]\nbyteBurst = 12499999',
      says: 'network.byteBurst: expected at least bytesPerSecond, found 12499999',
    },
    {
      text: '[sandbox]\nbundlePath = "job"',
      says: 'sandbox.bundlePath: expected an absolute path',
    },
    { text: '[sandbox]\nbundlePath = "/"', says: 'sandbox.bundlePath: expected an absolute path' },
    {
      text: '[sandbox]\nbundlePath = "/a/../b"',
      says: 'sandbox.bundlePath: expected a path without ..',
    },
    { text: '[sandbox]\nbundlePath = "/a//b"', says: 'sandbox.bundlePath: ' },
    ...[0, 1000, 65_534, 65_535, 4_227_727_360, 2 ** 32].map((found) => ({
      text: `[sandbox]\nuidBase = ${found}`,
      says: `sandbox.uidBase: expected a whole number from 65536 to 4227727359 (lower ids belong to users, services and nobody; jobs need many ids above it), found ${found}`,
    })),
    { text: '[sandbox]\nstopGraceMs = -1', says: 'sandbox.stopGraceMs: ' },
  ])('refuses, naming file and setting: $text', async ({ text, says }, { folder }) => {
    const file = write(folder, text)
    const { message } = (await thrownBy(() => loadConfig(file))) as Error
    const numbered = message.replace(/:\d+:1: /, ':line:1: ')
    expect(numbered.startsWith(`${file}:line:1: ${says}`)).toBe(true)
  })

  test('names every wrong setting and where it stands', async ({ folder }) => {
    const file = write(
      folder,
      'x = 1\nbridge.level = 2 # dotted\n[images]\n  allowLocal = "yes"\n[ logs ]\n"maxFiles" = 0\n',
    )
    const { message } = (await thrownBy(() => loadConfig(file))) as Error
    const lines = message.split('\n').map((line) => line.replace(file, '').split(': ').slice(0, 2))
    expect(lines).toEqual([
      [':2:1', 'bridge.level'],
      [':4:3', 'images.allowLocal'],
      [':6:1', 'logs.maxFiles'],
      [':1:1', 'x'],
    ])
  })

  test.for([
    { text: '[bridge]\nlevels = "1.25.0"', at: ':2:1', says: '(did you mean level?)' },
    { text: 'network = { mod = "shared" }', at: ':1:1', says: '(did you mean mode?)' },
    { text: '[sandbox]\n  stopGrace = 1', at: ':2:3', says: '(did you mean stopGraceMs?)' },
    { text: '[bridge.limits.reed]\nburst = 1', at: ':1:1', says: '(did you mean read?)' },
    { text: '[bridge.limits.read]\n burts = 1', at: ':2:2', says: '(did you mean burst?)' },
    { text: 'x = 1', at: ':1:1', says: '(known are log, processor, bridge, ' },
  ])('says which setting was meant: $text', async ({ text, at, says }, { folder }) => {
    const file = write(folder, text)
    const { message } = (await thrownBy(() => loadConfig(file))) as Error
    expect(message.startsWith(`${file}${at}: `)).toBe(true)
    expect(message).toContain(`: there is no such setting ${says}`)
  })

  test.for([
    { text: '[bridge', at: ':1:' },
    { text: '[bridge]\nlevel = 99999999999999999999', at: ':2:9' },
    { text: 'a = 1\n\nb = ', at: ':3:' },
  ])('says in one line where it is no TOML: $text', async ({ text, at }, { folder }) => {
    const file = write(folder, text)
    const { message } = (await thrownBy(() => loadConfig(file))) as Error
    expect(message.startsWith(`${file}${at}`)).toBe(true)
    expect(message).toMatch(/:\d+: expected TOML: .+$/)
    expect(message).not.toContain('\n')
  })

  test('names a file that is not there', async ({ folder }) => {
    const file = join(folder, 'none.toml')
    expect(await thrownBy(() => loadConfig(file))).toMatchObject({
      kind: 'CONFIG_INVALID',
      message: `${file}: expected a configuration file, found nothing there`,
    })
    expect(await thrownBy(() => loadConfig(folder))).toMatchObject({
      message: `${folder}: expected a configuration file, found a folder`,
    })
  })
})

test('a running daemon takes over what it reads again, and leaves what it was made of', () => {
  const config = loadConfig(undefined)
  const { network, bridge } = config
  const { limits } = bridge
  const next = loadConfig(undefined)
  Object.assign(next.log, { level: 'info' })
  Object.assign(next.bridge.limits.read, { perSecond: 1 })
  Object.assign(next.network, { allow: ['10.0.0.0/8'], resolvers: ['9.9.9.9'], mode: 'shared' })
  Object.assign(next.sandbox, { memoryBytes: 1 << 20, uidBase: 1_800_000_000 })
  Object.assign(next.processor, { originKind: 'Other' })
  expect(takeOver(config, next)).toEqual({
    taken: [
      'log.level',
      'bridge.limits',
      'network.allow',
      'network.resolvers',
      'sandbox.memoryBytes',
    ],
    left: ['processor.originKind', 'network.mode', 'sandbox.uidBase'],
  })
  expect(network).toMatchObject({ allow: ['10.0.0.0/8'], mode: 'auto' })
  expect(config).toMatchObject({ sandbox: { memoryBytes: 1 << 20, uidBase: 1_900_000_000 } })
  expect(bridge.limits.read.perSecond).toBe(1)
  // An open bridge has its limits as a whole.
  expect(limits).toEqual(defaultLimits)
  expect(takeOver(config, loadConfig(undefined)).left).toEqual([])
})
