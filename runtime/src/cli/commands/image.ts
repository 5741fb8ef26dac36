/** `causeway image`: the images on this host. @module */
import { Command, InvalidArgumentError } from 'commander'
import { exitCodes } from '../exit-codes.ts'
import { group, loaded, wholeNumber } from './options.ts'

// The recipes of the image store; importing them would load it for every command.
export const recipeNames = ['debian', 'minimal', 'node', 'python']

export function imageCommand(): Command {
  return group(
    'image',
    'fetch, look at, prune and build distro images',
    [pullCommand, lsCommand, inspectCommand, verifyCommand, pruneCommand, buildCommand],
    withImageOptions,
  )
}

/** Adds `--json`, `--state` and `--config`. */
function withImageOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document')
    .option(
      '--state <dir>',
      'folder with the images (default: $XDG_STATE_HOME/causeway, ~/.local/state/causeway, or /var/lib/causeway for root)',
    )
    .option('--config <file>', 'configuration file (TOML)')
}

function pullCommand(): Command {
  return new Command('pull')
    .description('fetch an image, verify and unpack it; goes on where an earlier pull ended')
    .argument('<url-or-file>', 'URL of an archive, or a manifest or deployment file that names one')
    .argument('[sha256]', 'digest of the archive, beside a URL')
    .option('--allow-local-images', 'allow image URLs with file: and http: to loopback')
    .action(loaded(async () => (await import('../image/pull.ts')).pull))
}

function lsCommand(): Command {
  return new Command('ls')
    .description('list the images on this host')
    .action(loaded(async () => (await import('../image/ls.ts')).ls))
}

function inspectCommand(): Command {
  return new Command('inspect')
    .description('show one image')
    .argument('<sha256>', 'digest of the archive, or the beginning of it')
    .action(loaded(async () => (await import('../image/inspect.ts')).inspect))
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('hash archives again, and compare what is unpacked with what they make')
    .argument('[sha256]', 'digest of an archive, or the beginning of it (default: all)')
    .addHelpText('after', `\nExit code: 0 when all is right, ${exitCodes.invalid} when not.`)
    .action(loaded(async () => (await import('../image/verify.ts')).verify))
}

function pruneCommand(): Command {
  return new Command('prune')
    .description('remove images that no job uses, the one used longest ago first')
    .argument('[sha256...]', 'just these: digests of archives, or the beginnings of them')
    .option('--all', 'every image that is not in use, and what image build made')
    .option(
      '--max-bytes <bytes>',
      'until the store is no larger than this (default: images.maxCacheBytes)',
      wholeNumber('expected a whole number of bytes', { most: 999_999_999_999_999 }),
    )
    .option('--min-age <hours>', 'only what was not used for this long', hours)
    .action(loaded(async () => (await import('../image/prune.ts')).pruneImages))
}

function hours(text: string): number {
  if (/^\d{1,6}(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a number of hours')
}

function buildCommand(): Command {
  return new Command('build')
    .description('build an image from a recipe; the same package versions give the same sha256')
    .argument('<recipe>', recipeNames.join(', '))
    .option('--output <file>', 'where the .tar.xz goes (default: the state folder)')
    .option('--manifest <file>', 'write url and sha256 into this manifest.json')
    .option('--refresh', 'with the packages of today, even when it was built before')
    .action(loaded(async () => (await import('../image/build.ts')).build))
}
