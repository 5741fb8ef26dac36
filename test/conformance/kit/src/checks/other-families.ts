/**
 * Browser, network and tunnel: calls that change nothing, and consequences of the version that a
 * bridge advertises.
 * @module
 */
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { CheckSkipped, expectThat } from '../outcome.ts'
import { requestText } from '../request.ts'
import { codes, errorOf, isObject } from '../response.ts'
import { sections } from '../sections.ts'

/**
 * Methods by the version that introduced them (bridge specification, Versioning); only those
 * without effects, in case the bridge has them.
 */
const newMethods: readonly (readonly [version: string, methods: readonly string[]])[] = [
  ['1.26.0', ['tunnel_status', 'tunnel_certPem']],
  ['1.27.0', ['browser_surfaceSize']],
]

// Texts that some programs accept as an address, and names that fit into no DNS message.
const addressHosts = ['127.0.0.1', '2130706433', '0x7f.1', '::1', '[::1]']
const longHosts = [`${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`]
const strangeHosts = ['exa mple.com', 'ex\0ample.com', 'ex\ud800ample.com', '*.example.com', '.']

// Below a top-level domain that is reserved never to exist (RFC 6761).
const unicodeHost = 'bücher.invalid'

const badHosts = ['', 'https://example.com', 'example.com/path', 'example.com:443', '-', 'a..b']

/** Negative when version a is below b. */
function compareVersions(a: string, b: string): number {
  const right = b.split('.').map(Number)
  const differences = a.split('.').map((part, index) => Number(part) - (right[index] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}

async function checkNewMethods(bridge: Bridge): Promise<void> {
  const { version } = await resultOfCall(bridge, 'processor_version')
  const above = newMethods.filter(([since]) => compareVersions(String(version), since) < 0)
  if (above.length === 0) throw new CheckSkipped(`the bridge advertises ${String(version)}`)
  for (const method of above.flatMap(([, methods]) => methods)) {
    const error = errorOf(await bridge.exchange([`${requestText(method)}\n`]))
    expectThat(error.code === codes.methodNotFound, `${method} refused with -32601`, error)
  }
}

async function checkSurfaceSize(bridge: Bridge): Promise<void> {
  const { size } = await resultOfCall(bridge, 'browser_surfaceSize')
  const names = ['width', 'height', 'deviceScaleFactor']
  const isSize = isObject(size) && names.every((name) => typeof size[name] === 'number')
  expectThat(size === null || isSize, 'size: null or three numbers', size)
}

async function checkOpenTabs(bridge: Bridge): Promise<void> {
  const { tabs } = await resultOfCall(bridge, 'browser_openTabs')
  const isList = Array.isArray(tabs) && tabs.every((tab) => typeof tab === 'number')
  expectThat(tabs === null || isList, 'tabs: null or numbers', tabs)
}

async function checkDebugUrl(bridge: Bridge): Promise<void> {
  const { url } = await resultOfCall(bridge, 'browser_debugUrl')
  expectThat(typeof url === 'string' && URL.canParse(url), 'url: a URL', url)
}

async function checkTunnelStatus(bridge: Bridge): Promise<void> {
  const { status } = await resultOfCall(bridge, 'tunnel_status')
  expectThat([-1, 0, 1, 2, 3].includes(status as number), 'status: -1 to 3', status)
}

async function checkCertPem(bridge: Bridge): Promise<void> {
  const { pem } = await resultOfCall(bridge, 'tunnel_certPem')
  const isPem = typeof pem === 'string' && pem.startsWith('-----BEGIN CERTIFICATE-----')
  expectThat(pem === undefined || isPem, 'pem: absent or a PEM chain', pem)
}

async function checkBadHosts(bridge: Bridge, hosts: readonly unknown[] = badHosts): Promise<void> {
  for (const host of hosts)
    await refusalOfCall(bridge, codes.invalidParams, 'network_whitelist', { host })
}

/** The host is taken; it does not consent, or cannot be looked up. */
async function checkUnicodeHost(bridge: Bridge): Promise<void> {
  // A resolver that is silent takes about as long as a reply may take.
  const patient = {
    ...bridge,
    exchange: (pieces: readonly (string | Buffer)[]) => bridge.exchange(pieces, { patience: 2 }),
  }
  await refusalOfCall(patient, codes.internalError, 'network_whitelist', { host: unicodeHost })
}

/** Checks of the other families and of the version. */
export const otherChecks: readonly Check[] = [
  {
    id: 'browser.surface-size',
    section: sections.browser,
    title: 'browser_surfaceSize has its shape',
    run: checkSurfaceSize,
  },
  {
    id: 'browser.open-tabs',
    section: sections.browser,
    title: 'browser_openTabs has its shape',
    run: checkOpenTabs,
  },
  {
    id: 'browser.debug-url',
    section: sections.browser,
    title: 'browser_debugUrl has its shape',
    run: checkDebugUrl,
  },
  {
    id: 'network.bad-host',
    section: sections.network,
    title: 'a host that is not a bare host name: -32602',
    run: (bridge) => checkBadHosts(bridge),
  },
  {
    id: 'network.host-type',
    section: sections.network,
    title: 'a host that is not a string: -32602',
    run: (bridge) => checkBadHosts(bridge, [null, 1, ['example.com'], {}]),
  },
  {
    id: 'network.address',
    section: sections.network,
    title: 'an address is not a host name: -32602',
    profile: 'causeway',
    run: (bridge) => checkBadHosts(bridge, addressHosts),
  },
  {
    id: 'network.long-host',
    section: sections.network,
    title: 'a label over 63 or a name over 253 characters: -32602',
    profile: 'causeway',
    run: (bridge) => checkBadHosts(bridge, longHosts),
  },
  {
    id: 'network.strange-host',
    section: sections.network,
    title: 'a name of other characters than letters of any script, digits, - and _: -32602',
    profile: 'causeway',
    run: (bridge) => checkBadHosts(bridge, strangeHosts),
  },
  {
    id: 'network.unicode-host',
    section: sections.network,
    title: 'a host name in UTF-8 is looked up: -32603 when it does not consent',
    run: checkUnicodeHost,
  },
  {
    id: 'tunnel.status',
    section: sections.tunnel,
    title: 'tunnel_status is one of five numbers',
    run: checkTunnelStatus,
  },
  {
    id: 'tunnel.cert-pem',
    section: sections.tunnel,
    title: 'tunnel_certPem has its shape',
    run: checkCertPem,
  },
  {
    id: 'version.new-methods',
    section: sections.versioning,
    title: 'methods above the advertised version: -32601',
    run: checkNewMethods,
  },
]
