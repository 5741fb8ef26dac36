import { describe, expect, test } from 'vitest'
import {
  checkRange,
  leastUidBase,
  mostUidBase,
} from '../../../../runtime/src/sandbox/ids/uid-range.ts'
import { loadConfig } from '../../../../runtime/src/config/config.ts'

// 65,536 ids for jobs, as many for the owner of images, 1,024 times 65,536 for namespaces.
const idCount = (2 + 1024) * 65_536
const first = 1_900_000_000
const last = first + idCount - 1

/** Checks the range on a host where one file lists owners of ids. */
const check = (file: string, text: string) =>
  checkRange(first, (path) => (path === file ? text : ''))

describe('the range of uids', () => {
  test.for([
    ['subuid before it', '/etc/subuid', 'user:100000:65536'],
    ['subuid right before it', '/etc/subuid', `user:${first - 65_536}:65536`],
    ['subgid behind it', '/etc/subgid', `user:${last + 1}:65536`],
    ['a user right before it', '/etc/passwd', `user:x:${first - 1}:1000::/home/user:/bin/sh`],
    ['a group right behind it', '/etc/group', `group:x:${last + 1}:`],
    ['no line at all', '/etc/subuid', ''],
    ['lines that are none', '/etc/subuid', 'nonsense\n#user\na:b:c\n::\n'],
    ['lines that are none', '/etc/passwd', 'nonsense\n#user\n+::::::\n'],
  ] as const)('may have %s in %s', ([, file, text]) => {
    expect(() => check(file, text)).not.toThrow()
  })

  test.for([
    [
      '/etc/subuid',
      `user:${first - 100_000}:100001`,
      `user in /etc/subuid (${first - 100_000} to ${first})`,
    ],
    ['/etc/subuid', `a:1:1\nuser:${last}:1`, `user in /etc/subuid (${last})`],
    ['/etc/subgid', 'user:0:4294967295', 'user in /etc/subgid (0 to 4294967294)'],
    ['/etc/passwd', `root:x:0:0::/:\nuser:x:${first}:7::/:`, `user in /etc/passwd (${first})`],
    ['/etc/group', `group:x:${last}:user`, `group in /etc/group (${last})`],
  ] as const)('may not have ids of others in %s: %s', ([file, text, found]) => {
    expect(() => check(file, text)).toThrow(
      `sandbox.uidBase ${first}: expected the ids ${first} to ${last} to be free, found ${found}`,
    )
  })

  test('contains neither nobody nor the last id, for any base that is allowed', () => {
    expect(leastUidBase).toBeGreaterThan(65_534)
    expect(mostUidBase + idCount - 1).toBe(2 ** 32 - 2)
  })

  test('of the default base is free on this host', () => {
    expect(() => checkRange(loadConfig(undefined).sandbox.uidBase)).not.toThrow()
  })
})
