/** What is there instead of a file that an operator named, for `expected …, found …`. */
export function foundInstead(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException
  return reasons[code] ?? message
}

const reasons: Record<string, string> = {
  ENOENT: 'nothing there',
  ENOTDIR: 'nothing there',
  EISDIR: 'a folder',
  EACCES: 'a file that this user may not read',
  ELOOP: 'a loop of links',
}
