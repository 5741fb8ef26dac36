/**
 * Manifest and deployment files: read, check, and report every fault with file, line and field.
 * @module
 */
export { DocumentError, type DocumentIssue } from './document/document-error.ts'
export { fillImage } from './fill-image.ts'
export { parseManifest, type Manifest } from './manifest.ts'
export { parseDeployment } from './deployment.ts'
export type { Deployment, ProcessorPublicKeys, Schedule } from './deployment-model.ts'
export { suggest } from './document/suggest.ts'
export { decodeSs58, encodeSs58, type Ss58Address } from './ss58.ts'
export { maxDocumentBytes } from './document/json-syntax.ts'
export { deploymentJsonSchema, manifestJsonSchema } from './published-schemas.ts'
