/**
 * The sections that checks refer to: of the bridge's specification, and of JSON-RPC 2.0.
 * @module
 */
export const sections = {
  address: 'Endpoints, Transport rule 1',
  line: 'Endpoints, Transport rule 2',
  members: 'Endpoints, Transport rule 3',
  processor: 'Processor and deployment methods',
  signer: 'Signer methods',
  browser: 'Browser methods',
  network: 'network_whitelist',
  tunnel: 'Tunnel methods',
  limits: 'Limits',
  errors: 'Errors',
  versioning: 'Versioning',
  request: 'JSON-RPC 2.0 §4',
  notification: 'JSON-RPC 2.0 §4.1',
  params: 'JSON-RPC 2.0 §4.2',
  response: 'JSON-RPC 2.0 §5',
  error: 'JSON-RPC 2.0 §5.1',
  batch: 'JSON-RPC 2.0 §6',
  extensions: 'JSON-RPC 2.0 §8',
} as const
