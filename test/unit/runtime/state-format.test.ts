/** State that a newer version wrote: it is refused, and nothing in it is changed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openState } from '../../../runtime/src/state/state-folders.ts'
import { refuseNewerRecords } from '../../../runtime/src/supervisor/record/newer-records.ts'
import { test } from '../../support/folder-fixture.ts'
import { thrownBy } from '../../support/thrown.ts'

const packageFile = new URL('../../../runtime/package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }

describe('a state folder', () => {
  test('gets its format once, and is opened again', ({ folder }) => {
    const state = join(folder, 'state')
    openState(state)
    const path = join(state, 'format')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ format: 1, version })
    writeFileSync(path, '{"format":1,"version":"0.0.1"}')
    openState(state)
    expect(readFileSync(path, 'utf8')).toContain('0.0.1')
    expect(readdirSync(state).toSorted()).toEqual(['deployments', 'format', 'images'])
  })

  test('of a newer version is refused with both, and not touched', async ({ folder }) => {
    writeFileSync(join(folder, 'format'), '{"format":2,"version":"9.8.7","more":[]}')
    const error = await thrownBy(() => openState(folder))
    expect(error).toMatchObject({
      kind: 'STATE_NEWER',
      message: `state folder ${folder}: expected at most 1, which Causeway ${version} knows, found format 2 of Causeway 9.8.7; start that version or a newer one, or take the copy of the state folder from before the upgrade; nothing was changed`,
    })
    expect(readdirSync(folder)).toEqual(['format'])
  })

  test.for(['', 'null', '{}', '{"format":"2"}', '2'])(
    'whose file says no format is refused: %j',
    async (text, { folder }) => {
      writeFileSync(join(folder, 'format'), text)
      expect(await thrownBy(() => openState(folder))).toMatchObject({
        kind: 'STATE_UNREACHABLE',
        message: expect.stringContaining(`found ${JSON.stringify(text)}`) as string,
      })
    },
  )
})

describe('the records of deployments', () => {
  function writeRecord(folder: string, name: string, content: string): string {
    mkdirSync(join(folder, name))
    const path = join(folder, name, 'record.json')
    writeFileSync(path, content)
    return path
  }

  test('of a newer version are refused before anything is done with them', async ({ folder }) => {
    writeRecord(folder, 'a'.repeat(32), '{"format":1')
    const newer = writeRecord(folder, 'b'.repeat(32), '{"format":2,"id":{}}')
    expect(await thrownBy(() => refuseNewerRecords(folder))).toMatchObject({
      kind: 'STATE_NEWER',
      message: expect.stringMatching(
        `^${newer}: expected a record of format 1, .*, found format 2 `,
      ) as string,
    })
  })

  test('that are damaged keep nobody from starting', ({ folder }) => {
    writeRecord(folder, 'a'.repeat(32), '')
    writeRecord(folder, 'b'.repeat(32), 'null')
    writeRecord(folder, 'no-deployment', '{"format":2}')
    mkdirSync(join(folder, 'c'.repeat(32)))
    refuseNewerRecords(folder)
    refuseNewerRecords(join(folder, 'none'))
  })
})
