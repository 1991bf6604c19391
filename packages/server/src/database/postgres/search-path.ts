import { pathOfStored, searchPath } from '../../domain/asset-path.ts'
import type { Sql } from './connection.ts'

const BATCH = 1000

/**
 * Sets `search_path` of assets that older versions of Stowage stored without it, in batches. Can be interrupted and
 * repeated.
 */
export async function fillSearchPaths(sql: Sql): Promise<void> {
  for (;;) {
    const rows = await sql<{ id: string; folder: string }[]>`
      select id, folder from assets where folder is not null and search_path is null
      order by id limit ${BATCH}`
    const ids = rows.map(({ id }) => id)
    const folders = rows.map(({ folder }) => folder)
    const paths = folders.map((folder) => searchPath(pathOfStored(folder)))
    // An asset that was moved in the meantime keeps its new path.
    await sql`
      update assets a set search_path = filled.search_path
      from unnest(${ids}::uuid[], ${folders}::text[], ${paths}::text[])
        as filled (id, folder, search_path)
      where a.id = filled.id and a.folder = filled.folder and a.search_path is null`
    if (rows.length < BATCH) return
  }
}
