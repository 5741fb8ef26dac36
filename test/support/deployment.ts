import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of a deployment. */
export interface DeploymentFiles {
  image: { url: string; sha256: string }
  /** Default `job.sh`. */
  entrypoint?: string
  /** Name → content, including the entrypoint. */
  files: Readonly<Record<string, string | Buffer>>
  /** Fields of the deployment file. */
  deployment?: object
  /** More fields of the manifest. */
  manifest?: object
}

/** Writes bundle and deployment file into one folder; returns the deployment file's path. */
export async function writeDeployment(folder: string, spec: DeploymentFiles): Promise<string> {
  await mkdir(folder, { recursive: true })
  const { entrypoint = 'job.sh', image } = spec
  const manifest = { version: '1', entrypoint, image, ...spec.manifest }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
  for (const [name, content] of Object.entries(spec.files))
    await writeFile(join(folder, name), content)
  const file = join(folder, 'deployment.json')
  await writeFile(file, JSON.stringify(spec.deployment ?? {}))
  return file
}
