/**
 * `causeway image`: the images on this host.
 * @module
 */
import { Command } from 'commander'
import { imageBuildCommand } from './build.ts'
import { imageInspectCommand } from './inspect.ts'
import { imageLsCommand } from './ls.ts'
import { imagePruneCommand } from './prune.ts'
import { imagePullCommand } from './pull.ts'
import { imageVerifyCommand } from './verify.ts'

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
