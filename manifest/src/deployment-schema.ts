/**
 * The schema of a deployment file. Field names follow the agent spec's JobSpec; every message says
 * what is expected.
 * @module
 */
import * as v from 'valibot'
import {
  countOf,
  endsAfterStart,
  filePath,
  idValue,
  methodName,
  nonEmptyText,
  publicKey,
  sourceAccount,
  ss58Address,
} from './deployment-values.ts'
import { noNul, optionalField } from './document/field.ts'
import { jsonObject, jsonRecord } from './document/json-object.ts'

/** The sets of network interfaces that a job can see. */
export const interfaceViews = ['host', 'loopback'] as const

const path = 'the path of a file or folder'
const keysPath = 'the path of a file that holds the private keys'

const amount = countOf('an integer from 0')
const milliseconds = countOf('an integer from 0 (milliseconds)')

const Origin = jsonObject({
  kind: optionalField('Kind of the deployment owner, passed to the job as is.', nonEmptyText()),
  source: optionalField(
    'Account of the deployment owner: hex, or an SS58 address. Default: the processor itself.',
    sourceAccount(),
  ),
})

const Schedule = v.pipe(
  jsonObject({
    startTime: optionalField('Start, Unix milliseconds; 0: default.', milliseconds),
    endTime: optionalField('End, Unix milliseconds; 0: default.', milliseconds),
    duration: optionalField('Duration of one execution, ms; 0: default.', milliseconds),
    interval: optionalField('Execution interval, ms; 0: default.', milliseconds),
    maxStartDelay: optionalField('Longest tolerated start delay, ms; 0: default.', milliseconds),
  }),
  // A partial check also runs when another time is wrong, so that both faults are reported at once.
  v.forward(
    v.partialCheck(
      [['startTime'], ['endTime']],
      (times) => endsAfterStart(times.startTime, times.endTime),
      'a time after startTime',
    ),
    ['endTime'],
  ),
)

const ecdsaKey = publicKey('33 or 65 bytes in hex', [33, 65])
const ed25519Key = publicKey('32 bytes in hex', [32])

const ProcessorKeys = jsonObject({
  p256: optionalField('Signing key, SEC1.', ecdsaKey),
  secp256k1: optionalField('Signing key, SEC1.', ecdsaKey),
  ed25519: optionalField('Signing key.', ed25519Key),
  encP256: optionalField('Encryption key, SEC1.', ecdsaKey),
  encSecp256k1: optionalField('Encryption key, SEC1.', ecdsaKey),
})

const Policy = jsonObject({
  methods: optionalField(
    'Bridge methods the job may call, or families of them (`signer_*`). Default: all.',
    v.array(methodName(), 'an array of method names'),
  ),
})

const Environment = jsonRecord(
  v.pipe(
    v.string('a name'),
    v.regex(/^[^=]+$/, 'a name without "="'),
    v.check(noNul, 'a name without NUL'),
  ),
  v.pipe(v.string('a string'), v.check(noNul, 'a string without NUL')),
)

const AssignedProcessors = jsonRecord(ss58Address(), ProcessorKeys)

/** The document as authors may write it; {@link parseDeployment} turns it into a `Deployment`. */
export const DeploymentSchema = v.pipe(
  jsonObject({
    $schema: optionalField('For editors; not read.', v.string('a string')),
    id: optionalField(
      "Id of the deployment. Default: a decimal made of the file's path.",
      idValue(),
    ),
    origin: optionalField('Who deployed it.', Origin),
    bundle: optionalField(
      "Folder or zip with manifest.json at its root, relative to this file. Default: the file's folder.",
      filePath(path),
    ),
    ipfsHash: optionalField('Content id of the bundle. Default: computed.', nonEmptyText()),
    slot: optionalField('Processor slot; null: none.', amount),
    environment: optionalField('Environment variables of the job.', Environment),
    schedule: optionalField('When it runs.', Schedule),
    memory: optionalField('Most memory, bytes; 0: default.', amount),
    storage: optionalField('Most storage, bytes; 0: default.', amount),
    networkRequests: optionalField('Most network requests; 0: default.', amount),
    assignedProcessors: optionalField(
      'Other processors of the deployment: SS58 address to public keys.',
      AssignedProcessors,
    ),
    keys: optionalField(
      'File (mode 0600) with private keys to import, relative to this file.',
      filePath(keysPath),
    ),
    interfaces: optionalField(
      'Network interfaces the job sees: of the host (default), or loopback only.',
      v.picklist(interfaceViews, 'host or loopback'),
    ),
    policy: optionalField('What the job may do.', Policy),
  }),
  v.title('Causeway deployment'),
)
