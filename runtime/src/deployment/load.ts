/** Loads a deployment file and its bundle, and checks them before anything is started. @module */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { parseDeployment, parseManifest, type Deployment, type Manifest } from '@causeway/manifest'
import { afterwards, orNone } from '@causeway/service/failure'
import { methodNames, unknownPatterns } from '../bridge/gate.ts'
import { environmentFault } from '../sandbox/root/environment.ts'
import { checkLimits } from '../sandbox/limits.ts'
import { StartError } from '../errors/start-error.ts'
import { openBundle, type Bundle } from './bundle.ts'
import { surveyBundle, type BundleSurvey } from './bundle-entries.ts'
import { readInputFile } from './input-file.ts'

const manifestName = 'manifest.json'
// A larger manifest would only keep the parser busy; it may be hostile.
const maxManifestBytes = 64 * 1024

/** A deployment whose files have been read and checked. */
export interface LoadedDeployment {
  deployment: Deployment
  /** Absent when the file names no bundle and its folder has no manifest. */
  bundle?: Bundle
  manifest?: Manifest
  /** For people: unknown fields, and settings that this version does not enforce. */
  warnings: readonly string[]
}

/**
 * Reads a deployment and its bundle's manifest, and checks all that needs no image.
 * @param zipFile where to pack a bundle that is a folder
 * @throws DocumentError or StartError
 */
export async function loadDeployment(file: string, zipFile: string): Promise<LoadedDeployment> {
  const { path, text } = await readInputFile(file, 'a deployment file')
  refuseManifest(file, text)
  const { deployment, warnings } = parseDeployment(text, path)
  checkPolicy(deployment)
  checkEnvironment(deployment)
  checkLimits(deployment)
  return completeDeployment(deployment, await findBundle(deployment, zipFile), warnings)
}

/**
 * Reads and checks a deployment's bundle.
 * @param options.isAccepted it was deployed before: unknown fields are warnings
 * @throws DocumentError or StartError
 */
export async function completeDeployment(
  deployment: Deployment,
  bundle: Bundle | undefined,
  warnings: readonly string[],
  options: { isAccepted?: boolean } = {},
): Promise<LoadedDeployment> {
  if (!bundle) return { deployment, warnings }
  const survey = await surveyBundle(bundle.zipFile, manifestName, maxManifestBytes)
  const { where, ...parsed } = readManifest(survey, deployment, options)
  checkEntrypoint(survey, parsed.manifest, where)
  const { manifest } = parsed
  return { deployment, bundle, manifest, warnings: [...warnings, ...parsed.warnings] }
}

/** Loads a deployment, but removes the packed bundle: only its CID and manifest are needed. */
export async function loadWithoutSandbox(file: string): Promise<LoadedDeployment> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  return afterwards(loadDeployment(file, join(folder, 'bundle.zip')), remove)
}

/** The parts that a job needs. @throws StartError MANIFEST_MISSING */
export function runnable({ deployment, bundle, manifest }: LoadedDeployment) {
  if (bundle && manifest) return { bundle, manifest }
  throw new StartError(
    'MANIFEST_MISSING',
    `${deployment.file}: expected a bundle with manifest.json beside it or in "bundle", found none`,
  )
}

/** Whether a JSON text has the fields of a manifest, whatever the file's name is. */
export function looksLikeManifest(text: string): boolean {
  // Not JSON: the deployment parser reports the position.
  const document = orNone((): unknown => JSON.parse(text))
  return typeof document === 'object' && document !== null && 'image' in document
}

function refuseManifest(file: string, text: string): void {
  if (!looksLikeManifest(text)) return
  throw new StartError(
    'INPUT_UNREADABLE',
    `${file}: expected a deployment file, found a manifest; write {} to a file deployment.json beside it and pass that`,
  )
}

function checkPolicy({ file, policy }: Deployment): void {
  const [unknown] = unknownPatterns(policy.methods ?? [])
  if (unknown === undefined) return
  throw new StartError(
    'POLICY_INVALID',
    `${file}: policy.methods: expected names or patterns (family_*) of ${methodNames.join(', ')}, found ${JSON.stringify(unknown)}`,
  )
}

function checkEnvironment({ file, environment }: Deployment): void {
  const fault = environmentFault(environment)
  if (fault !== undefined)
    throw new StartError('ENVIRONMENT_TOO_LARGE', `${file}: environment${fault}`)
}

async function findBundle(deployment: Deployment, zipFile: string): Promise<Bundle | undefined> {
  const folder = dirname(deployment.file)
  const path = deployment.bundle ?? (existsSync(join(folder, manifestName)) ? folder : undefined)
  // Environment values and keys must not reach the job's disk or the bundle's CID.
  const secret = new Set([deployment.file, ...(deployment.keys ? [deployment.keys] : [])])
  return path === undefined ? undefined : openBundle(path, zipFile, secret)
}

function readManifest(
  { wanted: content }: BundleSurvey,
  deployment: Deployment,
  options: { isAccepted?: boolean },
) {
  const folder = deployment.bundle ?? dirname(deployment.file)
  const where = join(folder, manifestName)
  if (content) return { where, ...parseManifest(content.toString('utf8'), where, options) }
  throw new StartError(
    'MANIFEST_MISSING',
    `bundle ${folder}: expected ${manifestName} at its root, found none`,
  )
}

/** Absolute entrypoints are in the image, which is not available yet. */
function checkEntrypoint({ names }: BundleSurvey, { entrypoint }: Manifest, where: string): void {
  if (entrypoint.startsWith('/') || names.has(posix.normalize(entrypoint))) return
  throw new StartError(
    'ENTRYPOINT_MISSING',
    `${where}: entrypoint: expected a file of the bundle or an absolute path in the image, found ${JSON.stringify(entrypoint)}, which the bundle does not have`,
  )
}
