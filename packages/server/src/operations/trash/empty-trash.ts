import type { AccountContext } from '../context.ts'

/** Removes everything that is in the trash now, in small transactions. */
export async function emptyTrash({ data }: AccountContext): Promise<void> {
  // An asset that is deleted later stays, so that the call ends.
  const { rows } = await data.listTrash({ page: 1, perPage: 1 })
  const until = rows[0]?.trashedAt
  if (until === undefined) return
  while ((await data.emptyTrash(until)) > 0);
}
