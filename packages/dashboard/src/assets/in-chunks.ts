/** The service accepts this many assets, and this many products, in one call. */
const MAX_IDS = 1000

/** Calls `call` with up to 1,000 of the IDs at a time, one call after the other. Stops at the first error. */
export async function inChunks(
  ids: readonly string[],
  call: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    await call(ids.slice(start, start + MAX_IDS))
  }
}
