/**
 * `npm run docs`: writes the generated files of the reference.
 */
import { writeFile } from 'node:fs/promises'
import { referenceFiles } from './reference.ts'

for (const { path, text } of await referenceFiles()) await writeFile(path, text)
