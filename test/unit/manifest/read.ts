import { DocumentError, parseDeployment, parseManifest } from '@causeway/manifest'

/** The lines of the error that `read` throws; anything but a DocumentError is passed on. */
export function errorLines(read: () => unknown): string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof DocumentError) return error.message.split('\n')
    throw error
  }
  return []
}

/** What is wrong with a manifest, line by line. */
export function manifestFaults(text: string): string[] {
  return errorLines(() => parseManifest(text, 'manifest.json'))
}

/** What is wrong with a deployment file, line by line. */
export function deploymentFaults(text: string): string[] {
  return errorLines(() => parseDeployment(text, 'd.json'))
}
