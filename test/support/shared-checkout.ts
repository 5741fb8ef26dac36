/**
 * Makes one checkout for all tests of a run that are another user's, before they begin; it goes
 * when they have ended.
 * @module
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkoutVariable, copyCheckout } from './copy-checkout.ts'

export default function setup(): (() => void) | undefined {
  // Another project of the same run has made it.
  if (process.env[checkoutVariable] !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'causeway-test-checkout-'))
  copyCheckout(folder)
  chmodSync(folder, 0o755)
  process.env[checkoutVariable] = folder
  return () => {
    delete process.env[checkoutVariable]
    rmSync(folder, { recursive: true, force: true })
  }
}
