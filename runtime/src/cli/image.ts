/**
 * `causeway image`: the images on this host.
 * @module
 */
import { Command } from 'commander'
import { imageBuildCommand } from './image-build.ts'
import { imageInspectCommand } from './image-inspect.ts'
import { imageLsCommand } from './image-ls.ts'
import { imagePruneCommand } from './image-prune.ts'
import { imagePullCommand } from './image-pull.ts'
import { imageVerifyCommand } from './image-verify.ts'

const commands = [
  imagePullCommand,
  imageLsCommand,
  imageInspectCommand,
  imageVerifyCommand,
  imagePruneCommand,
  imageBuildCommand,
]

export function imageCommand(): Command {
  const image = new Command('image').description('fetch, look at, prune and build distro images')
  for (const create of commands) image.addCommand(create().exitOverride())
  return image
}
