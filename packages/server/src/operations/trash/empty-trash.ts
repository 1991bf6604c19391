import type { AccountContext } from '../context.ts'

/** Other clients may delete assets meanwhile. The call must end even if they never stop. */
const MAX_PASSES = 5

/** Removes everything that is in the trash, in small transactions. */
export async function emptyTrash({ data }: AccountContext): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const { rows } = await data.listTrash({ page: 1, perPage: 1 })
    const until = rows[0]?.trashedAt
    if (until === undefined) return
    while ((await data.emptyTrash(until)) > 0);
  }
}
