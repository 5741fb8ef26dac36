import { describe, expect, test } from 'vitest'
import { closeAll, handlersOf, type Capability } from '../../../../runtime/src/bridge/capability.ts'

const version: Capability<'processor_version'> = {
  handlers: { processor_version: () => ({ version: '1.27.0' }) },
}
const slot: Capability<'deployment_slot'> = {
  handlers: { deployment_slot: () => ({ slot: null }) },
}

describe('capabilities of a bridge', () => {
  test('are one table of handlers', () => {
    expect(Object.keys(handlersOf([version, slot]))).toEqual([
      'processor_version',
      'deployment_slot',
    ])
  })

  test('two that serve the same method are refused', () => {
    expect(() => handlersOf([version, slot, version])).toThrow(
      new TypeError('two capabilities serve processor_version'),
    )
  })

  test('one with a method that the table lacks is refused', () => {
    const stray = { handlers: { toString: () => ({}) } }
    expect(() => handlersOf([version, stray])).toThrow(
      new TypeError('toString is not in the method table'),
    )
  })

  test('a table without a capability has not its methods', () => {
    // @ts-expect-error deployment_slot is missing
    const handlers: Pick<Capability['handlers'], 'processor_version' | 'deployment_slot'> =
      handlersOf([version])
    expect(handlers).not.toHaveProperty('deployment_slot')
  })

  test('end the last first, and all although one hangs', async () => {
    const ended: string[] = []
    const ending = (name: string, wait?: Promise<void>) => ({
      handlers: {},
      close: async () => {
        ended.push(name)
        await wait
      },
    })
    let release = () => {}
    const hang = new Promise<void>((resolve) => (release = resolve))
    const closed = closeAll([ending('first'), ending('second', hang), ending('third'), version])
    expect(ended).toEqual(['third', 'second', 'first'])
    release()
    await closed
  })
})
