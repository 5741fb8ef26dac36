/** The account of the well-known development key, under the generic prefix. */
export const alice = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY'

export const aliceHex = 'd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d'

/** Every field of a manifest. */
export const fullManifest = {
  name: 'hello',
  version: '1',
  entrypoint: 'run.sh',
  restartPolicy: 'OnFailure',
  image: { url: 'https://images.example.com/debian.tar.xz', sha256: 'AB'.repeat(32) },
}

/** Every field of a deployment file. */
export const fullDeployment = {
  $schema: './deployment.schema.json',
  id: 3510,
  origin: { kind: 'Example', source: alice },
  bundle: 'job.zip',
  ipfsHash: 'bafkreigh2akiscaildc',
  slot: 2,
  environment: { GREETING: 'hello world', EMPTY: '' },
  schedule: { startTime: 1000, endTime: 5000, duration: 600, interval: 700, maxStartDelay: 80 },
  memory: 67108864,
  storage: 1073741824,
  networkRequests: 100,
  assignedProcessors: {
    [alice]: {
      p256: `0x02${'AB'.repeat(32)}`,
      secp256k1: `04${'cd'.repeat(64)}`,
      ed25519: 'ef'.repeat(32),
      encP256: `03${'01'.repeat(32)}`,
      encSecp256k1: `02${'23'.repeat(32)}`,
    },
  },
  keys: '../secret/keys.json',
  interfaces: 'loopback',
  policy: { methods: ['deployment_*', 'signer_sign', 'rpc.discover'] },
}
