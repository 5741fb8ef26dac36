import { expect, test } from 'vitest'
import { refuseBulk } from '../../../../runtime/src/job-network/bulk-datagrams.ts'
import { thrownBy } from '../../../support/thrown.ts'

// No control group of version 2 is there to refuse them to.
const nowhere = ['/nowhere']
const why =
  'a job may send dozens of datagrams as one packet: the job has no control group of version 2'

test('where datagrams in bulk cannot be refused, a warning says so', () => {
  const warnings: string[] = []
  refuseBulk(nowhere, { isRequired: false, onWarning: (message) => warnings.push(message) })
  expect(warnings).toEqual([why])
})

test('where that is required, the job does not run', async () => {
  const warnings: string[] = []
  const options = { isRequired: true, onWarning: (message: string) => void warnings.push(message) }
  expect(await thrownBy(() => refuseBulk(nowhere, options))).toMatchObject({
    kind: 'NETWORK_UNAVAILABLE',
    message: why,
  })
  expect(warnings).toEqual([])
})
