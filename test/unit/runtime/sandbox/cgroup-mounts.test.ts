import { describe, expect, test } from 'vitest'
import { findHierarchies } from '../../../../runtime/src/cgroup/mounts.ts'

const files = (texts: Record<string, string>) => (path: string) => texts[path] ?? ''

describe('the hierarchies of a host', () => {
  test('may be of version 2 only', () => {
    const mounts = `/dev/sda1 / ext4 rw 0 0
cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate 0 0
tmpfs /run tmpfs rw 0 0
`
    const read = files({
      '/sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory hugetlb pids rdma\n',
    })
    expect(findHierarchies(mounts, read)).toEqual([
      { path: '/sys/fs/cgroup', version: 2, controllers: ['memory', 'pids', 'cpu', 'hugetlb'] },
    ])
  })

  test('may be of version 1 only: those with a controller of ours count', () => {
    const mounts = `tmpfs /sys/fs/cgroup tmpfs rw 0 0
cgroup /sys/fs/cgroup/systemd cgroup rw,name=systemd 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0
`
    expect(findHierarchies(mounts, files({}))).toEqual([
      { path: '/sys/fs/cgroup/cpu,cpuacct', version: 1, controllers: ['cpu'] },
      { path: '/sys/fs/cgroup/memory', version: 1, controllers: ['memory'] },
      { path: '/sys/fs/cgroup/pids', version: 1, controllers: ['pids'] },
    ])
  })

  test('may be of both versions: version 2 without controllers can still kill a job', () => {
    const mounts = `cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup /sys/fs/cgroup/both cgroup rw,pids,freezer 0 0
`
    expect(
      findHierarchies(mounts, files({ '/sys/fs/cgroup/unified/cgroup.controllers': '\n' })),
    ).toEqual([
      { path: '/sys/fs/cgroup/unified', version: 2, controllers: [] },
      { path: '/sys/fs/cgroup/memory', version: 1, controllers: ['memory'] },
      { path: '/sys/fs/cgroup/both', version: 1, controllers: ['pids'] },
    ])
  })

  test('count once when they are mounted twice', () => {
    const mounts = `cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
cgroup /chroot/sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup2 /chroot/sys/fs/cgroup/unified cgroup2 rw 0 0
`
    const paths = findHierarchies(mounts, files({})).map(({ path }) => path)
    expect(paths).toEqual(['/sys/fs/cgroup/memory', '/sys/fs/cgroup/unified'])
  })

  test('count once by the first mount, wherever the others are', () => {
    const mounts = `cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0
cgroup2 /chroot/sys/fs/cgroup/unified cgroup2 rw 0 0
cgroup /chroot/sys/fs/cgroup/memory cgroup rw,memory 0 0
cgroup /chroot/sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0
`
    expect(findHierarchies(mounts, files({})).map(({ path }) => path)).toEqual([
      '/sys/fs/cgroup/unified',
      '/sys/fs/cgroup/memory',
      '/sys/fs/cgroup/cpu,cpuacct',
    ])
  })

  test('may be none', () => {
    expect(findHierarchies('/dev/sda1 / ext4 rw 0 0\n', files({}))).toEqual([])
    expect(findHierarchies('', files({}))).toEqual([])
  })

  test('have a controller only when its whole name is listed', () => {
    const mounts = 'cgroup /c cgroup rw,memory_recursiveprot,pidsx 0 0\n'
    expect(findHierarchies(mounts, files({}))).toEqual([])
  })
})
