/** Processes, descriptors and files: what Node does not offer of them. @module */
export { hardenProcess } from './harden.ts'
export { linkFd } from './link.ts'
export { lockFile } from './lock.ts'
export { chownFd, closeFd, createPipe, type Pipe } from './pipe.ts'
export { spawnChild, startChild } from './start-child.ts'
