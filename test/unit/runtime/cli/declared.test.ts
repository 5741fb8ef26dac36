/**
 * What declarations of commands say without loading it.
 */
import { recipeNames } from '@causeway/images'
import { logLevels } from '@causeway/service/log'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { logsCommand } from '../../../../runtime/src/cli/commands/deployments.ts'
import * as image from '../../../../runtime/src/cli/commands/image.ts'
import { withSharedOptions } from '../../../../runtime/src/cli/commands/options.ts'
import { logStreams } from '../../../../runtime/src/control/protocol.ts'

const choicesOf = (command: Command, name: string) =>
  command.options.find(({ long }) => long === name)?.argChoices

test('is what the modules have', () => {
  expect(image.recipeNames).toEqual(recipeNames)
  expect(choicesOf(withSharedOptions(new Command()), '--log-level')).toEqual(logLevels)
  expect(choicesOf(logsCommand(), '--stream')).toEqual(logStreams)
})
