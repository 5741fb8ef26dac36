import { chownSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRoot, run } from './job.ts'
import { inRoot, kinds, makePlace, mountsBelow, overlay, runScript } from './launcher-place.ts'

const namesIn = (tree: string) => new Set(readdirSync(tree, { recursive: true }).map(String))

describe.each(kinds)('the overlay of $kind', (kind) => {
  const root = inRoot(kind, '')
  const { owner, treeOwner, seenUid } = kind

  it('shows the files of the image as those of the job', async () => {
    const script = `stat -c %u:%g ${root}/etc/marker ${root}/bin; cat ${root}/etc/marker`
    const { stdout, stderr } = await runScript(kind, makePlace(kind), script)
    expect(stderr).toBe('')
    expect(stdout).toBe(`${seenUid}:${seenUid}\n`.repeat(2) + 'of the image\n')
  })

  it('puts what the job writes into a layer of its own, and changes nothing of the image', async () => {
    const place = makePlace(kind)
    const before = namesIn(place.tree)
    const script = `cd ${root}/etc; echo mine > marker; echo new > new; rm ${root}/bin/ls; mkdir ${root}/folder`
    expect(await runScript(kind, place, script)).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(place.tree, 'etc/marker'), 'utf8')).toBe('of the image\n')
    expect(namesIn(place.tree)).toEqual(before)
    expect(statSync(join(place.tree, 'etc/marker')).uid).toBe(treeOwner)
    expect(readFileSync(join(place.upper, 'etc/marker'), 'utf8')).toBe('mine\n')
    for (const name of ['', 'etc', 'etc/marker', 'etc/new', 'folder']) {
      expect(statSync(join(place.upper, name))).toMatchObject({ uid: owner, gid: owner })
    }
  })

  it('is the same when it is mounted again', async () => {
    const place = makePlace(kind)
    await runScript(kind, place, `cd ${root}; echo 1 > count; rm etc/marker; mkdir etc/folder`)
    const again = `cd ${root}; echo 2 >> count; cat count; ls etc`
    expect((await runScript(kind, place, again)).stdout).toBe('1\n2\nfolder\n')
    expect((await runScript(kind, place, `cat ${root}/count`)).stdout).toBe('1\n2\n')
  })

  it('is there for no process but those of the job', async () => {
    const place = makePlace(kind)
    const script = `echo x > ${root}/file; cat /proc/self/mountinfo`
    const { stdout } = await runScript(kind, place, script)
    expect(stdout).toContain(' - overlay ')
    expect(existsSync(join(place.root, 'file'))).toBe(false)
    expect(mountsBelow(place.folder)).toEqual([])
  })

  it('runs no program with the rights of its owner, and opens no device', async () => {
    const script = `grep ' - overlay ' /proc/self/mountinfo`.replace(
      'grep',
      `${root}/bin/busybox grep`,
    )
    const { stdout } = await runScript(kind, makePlace(kind), script)
    expect(stdout).toMatch(/ (?:rw,)?nosuid,nodev,/)
  })

  it('says what is missing', async () => {
    const place = { ...makePlace(kind), tree: '/missing' }
    const { code, stderr } = await runScript(kind, place, 'exit 0')
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: expect.stringMatching(
        /^bridge-launch: (overlay|image \/missing): No such file/,
      ) as string,
    })
  })
})

describe.skipIf(!isRoot).each(kinds.filter(({ treeOwner, owner }) => treeOwner !== owner))(
  'an image shown as that of $kind',
  (kind) => {
    const root = inRoot(kind, '')

    it('has files of nobody where they are those of somebody else', async () => {
      const place = makePlace(kind)
      const other = join(place.tree, 'etc/other')
      writeFileSync(other, 'of root\n', { mode: 0o600 })
      chownSync(other, 0, 0)
      const script = `stat -c %u:%g ${root}/etc/other; cat ${root}/etc/other`
      const { stdout, stderr } = await runScript(kind, place, script)
      expect(stdout).toBe('65534:65534\n')
      expect(stderr).toMatch(/Permission denied/)
    })

    it('cannot be shown so without being told whose it is', async () => {
      const place = makePlace(kind)
      const without = kind.options.slice(0, kind.options.indexOf('--lower-owner'))
      const script = `stat -c %u ${root}/etc/marker`
      const { stdout } = await runScript({ ...kind, options: without }, place, script)
      expect(stdout.trim()).toBe(kind.pivots ? '65534' : `${kind.treeOwner}`)
    })
  },
)

describe.each(kinds.filter(({ pivots }) => !pivots))('$kind without a stage', (kind) => {
  it('keeps the root of the host, and finds its own where it is mounted', async () => {
    const place = makePlace(kind)
    const args = [...overlay(kind, place), '--', '/bin/cat', join(place.root, 'etc/marker')]
    expect(await run(kind.starter, args)).toMatchObject({ code: 0, stdout: 'of the image\n' })
    expect(mountsBelow(place.folder)).toEqual([])
  })
})
