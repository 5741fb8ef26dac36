/**
 * Archives that try to reach what is outside of the folder they are unpacked into.
 *
 * @module
 */
import { longLink, longName, pax, tarOf, type Entry } from './tar-fixture.ts'

/** One attempt; `OUT` in names and links stands for the path of a folder beside the target. */
export interface Attack {
  title: string
  entries: readonly Entry[]
  /** What the message says; absent where it is harmless inside the root, and made. */
  refused?: string
  /** True when it fails even in a build that neither keeps rules nor confines itself. */
  tame?: true
}

const symlink = (name: string, link: string): Entry => ({ name, type: '2', link })
const hardLink = (name: string, link: string): Entry => ({ name, type: '1', link })
const folder = (name: string, mode = 0o755): Entry => ({ name, type: '5', mode })
const file = (name: string): Entry => ({ name, body: 'overwritten' })

const throughNames: readonly Attack[] = [
  { title: 'a member with ..', entries: [file('../outside/new')], refused: '"../outside/new"' },
  { title: '.. below a folder', entries: [file('etc/../../outside/new')], refused: 'leads out' },
  { title: 'an absolute member', entries: [file('OUT/new')] },
  { title: 'an absolute member that is there', entries: [file('OUT/secret')] },
  { title: 'an absolute folder', entries: [folder('OUT/new/')] },
  { title: 'a pax path', entries: [pax({ path: '../outside/new' }), file('x')], refused: '..' },
  { title: 'a long name', entries: [longName('../outside/new'), file('x')], refused: '..' },
  { title: 'an absolute pax path', entries: [pax({ path: 'OUT/new' }), file('x')] },
  {
    title: 'a very deep path',
    tame: true,
    entries: [longName('d/'.repeat(3000)), file('x')],
    refused: 'deep',
  },
  {
    title: 'a NUL in a pax path',
    tame: true,
    entries: [pax({ path: 'OUT/new\0x' })],
    refused: 'pax record',
  },
  { title: 'a descriptor of the unpacker', tame: true, entries: [file('/proc/self/fd/2')] },
  {
    title: 'its working directory',
    entries: [file('/proc/self/cwd/../outside/new')],
    refused: '..',
  },
]

const throughSymlinks: readonly Attack[] = [
  {
    title: 'a file through an absolute link',
    entries: [symlink('etc/out', 'OUT'), file('etc/out/new')],
    refused: 'cannot be made',
  },
  {
    title: 'a file through a relative link',
    entries: [symlink('etc/out', '../../outside'), file('etc/out/new')],
    refused: 'cannot be made',
  },
  {
    title: 'a folder through a link',
    entries: [symlink('etc/out', 'OUT'), folder('etc/out/new/')],
    refused: 'cannot be made',
  },
  {
    title: 'a symbolic link through a link',
    entries: [symlink('etc/out', 'OUT'), symlink('etc/out/new', 'secret')],
    refused: 'cannot be made',
  },
  {
    title: 'a file over a link to a file',
    entries: [symlink('etc/f', 'OUT/secret'), file('etc/f')],
  },
  {
    title: 'a file over a climbing link to a file',
    entries: [symlink('etc/f', '../../outside/secret'), file('etc/f')],
  },
  {
    title: 'a file over a long link to a file',
    entries: [
      longLink(`${'./'.repeat(900)}../../outside/secret`),
      symlink('etc/f', ''),
      file('etc/f'),
    ],
  },
  {
    title: 'a folder over a link, chmod through it',
    tame: true,
    entries: [symlink('etc/d', 'OUT'), folder('etc/d/', 0o777)],
  },
  {
    title: 'a folder replaced by a link',
    entries: [folder('etc/d/'), symlink('etc/d', 'OUT'), file('etc/d/new')],
    refused: 'cannot be made',
  },
  {
    title: 'the deferred chmod of a folder that became a link',
    tame: true,
    entries: [folder('etc/d/', 0o777), symlink('etc/d', 'OUT')],
  },
  {
    title: 'the deferred chmod of a folder in one that became a link',
    tame: true,
    entries: [folder('etc/d/sub/', 0o777), symlink('etc/e', 'd'), symlink('etc/d/sub', 'OUT')],
  },
  {
    title: 'a resolv.conf outside',
    entries: [symlink('etc/resolv.conf', 'OUT/secret'), file('etc/resolv.conf')],
  },
  {
    title: 'etc outside',
    entries: [symlink('etc', 'OUT'), file('etc/resolv.conf')],
    refused: 'cannot be made',
  },
  {
    title: 'a link through /proc',
    entries: [symlink('etc/p', '/proc/self/cwd'), file('etc/p/../outside/new')],
    refused: 'leads out',
  },
  {
    title: 'a link to the working directory as /proc has it',
    entries: [symlink('etc/p', '/proc/self/cwd/../outside'), file('etc/p/new')],
    refused: 'cannot be made',
  },
  {
    title: 'a loop',
    tame: true,
    entries: [symlink('etc/l1', 'l2'), symlink('etc/l2', 'l1'), file('etc/l1/x')],
    refused: 'Too many levels of symbolic links',
  },
  {
    title: 'a chain of links that is too long',
    tame: true,
    entries: [
      folder('etc/l0/'),
      ...Array.from({ length: 41 }, (_, n) => symlink(`etc/l${n + 1}`, `l${n}`)),
      file('etc/l41/x'),
    ],
    refused: 'Too many levels of symbolic links',
  },
  {
    title: 'a wrapper that is a link',
    entries: [symlink('wrapper', 'OUT'), file('wrapper/new')],
    refused: 'cannot be made',
  },
]

const throughHardLinks: readonly Attack[] = [
  {
    title: 'a hard link outside, then a file of that name',
    entries: [hardLink('etc/h', 'OUT/secret'), file('etc/h')],
    refused: 'not an earlier file of the archive',
  },
  {
    title: 'a climbing hard link',
    entries: [hardLink('etc/h', '../outside/secret'), file('etc/h')],
    refused: 'leads out',
  },
  {
    title: 'a climbing pax linkpath',
    entries: [pax({ linkpath: '../outside/secret' }), hardLink('etc/h', 'x'), file('etc/h')],
    refused: 'leads out',
  },
  {
    title: 'a hard link through a link',
    entries: [symlink('etc/out', 'OUT'), hardLink('etc/h', 'etc/out/secret'), file('etc/h')],
    refused: 'not an earlier file of the archive',
  },
  {
    title: 'a hard link through a chain that climbs',
    entries: [
      folder('a/b/c/'),
      symlink('a/b/c/up', '../..'),
      symlink('a/b/escape', 'c/up/../..'),
      hardLink('etc/h', 'a/b/escape/outside/secret'),
      file('etc/h'),
    ],
    refused: 'not an earlier file of the archive',
  },
  {
    title: 'a hard link to a link outside',
    tame: true,
    entries: [symlink('etc/s', 'OUT/secret'), hardLink('etc/h', 'etc/s'), file('etc/h')],
    refused: 'not an earlier file of the archive',
  },
  {
    title: 'a hard link to itself',
    tame: true,
    entries: [file('etc/f'), hardLink('etc/f', 'etc/f')],
  },
]

const throughTypes: readonly Attack[] = [
  { title: 'setuid and setgid', tame: true, entries: [{ ...file('bin/su'), mode: 0o6755 }] },
  {
    title: 'a block device and a fifo',
    tame: true,
    entries: [
      { name: 'dev/sda', type: '4' },
      { name: 'dev/fifo', type: '6' },
    ],
  },
  {
    title: 'whiteouts',
    tame: true,
    entries: [file('.wh..'), file('.wh..wh..opq'), file('etc/.wh.hello')],
  },
  {
    title: 'a body that hides a device from a filter',
    tame: true,
    entries: [{ name: 'etc/x/', body: tarOf([{ name: 'etc/null', type: '3' }]).subarray(0, 512) }],
    refused: 'named like a folder',
  },
]

/** Every attack that is about a place, not a size. */
export const attacks: readonly Attack[] = [
  ...throughNames,
  ...throughSymlinks,
  ...throughHardLinks,
  ...throughTypes,
]
