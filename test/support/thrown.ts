/** Returns what `run` throws or rejects with; fails when it does neither. */
export async function thrownBy(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error('expected an error, found none')
}
