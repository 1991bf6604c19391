import { MAX_ASSET_TAGS } from '@stowage/protocol'
import { addTags, foldTag, MAX_ACCOUNT_TAGS, removeTags } from '../../domain/tags.ts'
import { type TagRow, toChangedTags, toTag } from '../shared/tags.ts'
import type { AccountMethods, BulkMethods, Writer } from '../shared/wire-account-data.ts'
import { MAX_LISTED_TAGS, type TagOutcome } from '../tag-data.ts'
import { inTransaction, readPageWithTotal, type Sql } from './connection.ts'
import { recordTags } from './events.ts'

interface Retagged {
  id: string
  /** Its previous tags. */
  before: string[]
  tags: string[]
}

export function accountTags(
  sql: Sql,
  { account, actor }: Writer,
): AccountMethods['tags'] & Pick<BulkMethods, 'tagAssets' | 'untagAssets'> {
  async function write(assets: Retagged[]): Promise<void> {
    const ids = assets.map(({ id }) => id)
    const tags = assets.map((asset) => JSON.stringify(asset.tags))
    const searchTags = assets.map((asset) => JSON.stringify(asset.tags.map(foldTag)))
    await sql`
      select change_tags(${account}::uuid, ${ids}::uuid[], ${tags}::text[], ${searchTags}::text[])`
    await recordTags(sql, actor, assets)
  }

  function change(
    ids: string[],
    { added, tagsOf }: { added: string[]; tagsOf: (tags: string[]) => string[] },
  ): Promise<TagOutcome> {
    return inTransaction(sql, async () => {
      const rows = await sql<{ id: string; tags: string[] | null }[]>`
        select id, tags from assets where id = any(${ids}::uuid[]) and account_id = ${account}
          and replaces is null and status in ('uploading', 'completing', 'ready')
        order by id for no key update`
      const known = new Set(rows.map(({ id }) => id))
      const missing = ids.filter((id) => !known.has(id))
      if (missing.length > 0) return { outcome: 'assets_not_found', unknown: missing }
      const assets = [...rows]
        .map(({ id, tags }) => ({ id, before: tags ?? [], tags: tagsOf(tags ?? []) }))
        .filter(({ before, tags }) => tags.length !== before.length)
      const full = assets.filter(({ tags }) => tags.length > MAX_ASSET_TAGS)
      if (full.length > 0) return { outcome: 'assets_full', ids: full.map(({ id }) => id) }
      if (await hasTooManyTags(sql, account, added)) return { outcome: 'too_many_tags' }
      if (assets.length > 0) await write(assets)
      return { outcome: 'done', changed: assets.map(toChangedTags) }
    })
  }

  return {
    tagAssets: (ids, given) =>
      change(ids, { added: given, tagsOf: (tags) => addTags(tags, given) }),

    untagAssets: (ids, given) =>
      change(ids, { added: [], tagsOf: (tags) => removeTags(tags, given) }),

    async listTags({ page, perPage, after, name }) {
      const named = name === undefined ? sql`true` : sql`strpos(tag, ${name}) > 0`
      // The limit keeps the cost bounded: see `MAX_LISTED_TAGS`.
      const matching = sql`
        from (
          select tag, assets from tags where account_id = ${account} order by tag limit ${MAX_LISTED_TAGS}
        ) listed where ${named}`
      const next = after === undefined ? sql`` : sql`and tag > ${after}`
      const offset = after === undefined ? Math.min((page - 1) * perPage, MAX_LISTED_TAGS) : 0
      const { rows, total } = await readPageWithTotal<TagRow>(sql, {
        count: sql`select count(*) as total ${matching}`,
        page: sql`
          select t.tag, t.assets, a.tags, a.search_tags
          from (select tag, assets ${matching} ${next} order by tag limit ${perPage} offset ${offset}) t
          left join assets a on a.id = (
            select asset_id from asset_tags
            where asset_tags.account_id = ${account} and asset_tags.tag = t.tag
            order by asset_id limit 1)`,
        order: sql`page.tag`,
      })
      return { rows: rows.map(toTag), total }
    },
  }
}

/**
 * Whether the ready assets of the account would have too many different tags with these ones. Locks the account, in the
 * caller's transaction, which has locked the assets.
 */
export async function hasTooManyTags(sql: Sql, account: string, tags: string[]): Promise<boolean> {
  if (tags.length === 0) return false
  await sql`select from accounts where id = ${account} for no key update`
  const [row] = await sql<{ is_exceeded: boolean }[]>`
    select case added.count when 0 then false
      else added.count + (select count(*) from tags where account_id = ${account})
        > ${MAX_ACCOUNT_TAGS} end as is_exceeded
    from (
      select count(*) as count from unnest(${tags.map(foldTag)}::text[]) given (tag)
      where not exists (
        select from tags where account_id = ${account} and tags.tag = given.tag)
    ) added`
  return row?.is_exceeded ?? false
}

/** Notes that the tags of those of these assets that are ready have changed, in the caller's transaction. */
export async function noteTagged(sql: Sql, account: string, ids: string[]): Promise<void> {
  await sql`
    select note_all_listed(${account}, array_agg(id), 0) from assets
    where id = any(${ids}::uuid[]) and status = 'ready' having count(*) > 0`
}
