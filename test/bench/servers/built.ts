/**
 * What is measured is what was built, not its source under tsx.
 * @module
 */

/** A module of the runtime; its source says the types. */
export async function built<Module>(name: string): Promise<Module> {
  return (await import(new URL(`../../../runtime/dist/${name}.js`, import.meta.url).href)) as Module
}
