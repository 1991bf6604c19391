const AT_ONCE = 6

/** Does it for each, some at a time. The rest is done too when one fails; then it rejects with the first failure. */
export async function inTurns<Item>(
  items: readonly Item[],
  does: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items]
  const failures: unknown[] = []
  const turn = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await does(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, turn))
  if (failures.length > 0) throw failures[0]
}
