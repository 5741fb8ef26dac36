/**
 * Measures the built files, not their sources under tsx.
 * @module
 */

/** A built module of the runtime; its source gives the types. */
export async function built<Module>(name: string): Promise<Module> {
  return (await import(new URL(`../../../runtime/dist/${name}.js`, import.meta.url).href)) as Module
}
