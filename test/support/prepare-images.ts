/**
 * Builds the images of the tests that take long, each once on this machine. Says how long they took;
 * what fails here, the test that needs it tells.
 */
import { canMakeMinbase, minbaseTar } from './minbase.ts'
import { builtRecipe } from './recipe-image.ts'
import { toolsImage } from './tools-image.ts'

const images: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['minimal', () => builtRecipe('minimal')],
  ['python', () => builtRecipe('python')],
  ['debian', () => builtRecipe('debian')],
  ['tools', () => toolsImage()],
  ...(canMakeMinbase ? [['minbase', () => minbaseTar()] as const] : []),
  ['node', () => builtRecipe('node')],
]

for (const [name, make] of images) {
  const started = performance.now()
  const outcome = await make().then(
    () => 'ready',
    (error: unknown) => String(error),
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`image ${name}: ${outcome}, ${seconds} s\n`)
}
