import { MAX_ASSET_TAGS } from '@stowage/protocol'
import { addTags, foldTag, MAX_ACCOUNT_TAGS, removeTags } from '../../domain/tags.ts'
import type { Rows } from '../account-data.ts'
import { fromJson, toTagColumns } from '../shared/rows.ts'
import { type TagRow, toChangedTags, toTag } from '../shared/tags.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { MAX_LISTED_TAGS, type Tag, type TagOutcome, type TagQuery } from '../tag-data.ts'
import { type Connection, encode } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import type { Steps } from './long-writes.ts'

/** Whether the ready assets of the account would have too many different tags with these ones. */
export function prepareTagLimit({ prepare }: Connection) {
  const exceeded = prepare<{ is_exceeded: number }>(
    `with added as (
       select count(*) as count from json_each(:tags) given
       where not exists (
         select 1 from tags where account_id = :account and tag = given.value))
     select iif((select count from added) = 0, 0,
       (select count from added)
         + (select count(*) from tags where account_id = :account) > ${MAX_ACCOUNT_TAGS}) as is_exceeded`,
  )
  return (account: string, tags: string[]): boolean =>
    tags.length > 0 &&
    exceeded.get({ account, tags: JSON.stringify(tags.map(foldTag)) })?.is_exceeded === 1
}

interface TaggedRow {
  id: string
  seq: number
  tags: string | null
}

/** Changes of the tags of several assets, all or none. There may be many, so each asset is a step. */
export function prepareBulkTags(connection: Connection) {
  const { prepare } = connection
  const hasTooManyTags = prepareTagLimit(connection)
  const { recordUpdate } = prepareRecordEvents(connection)
  const visible = prepare<TaggedRow>(
    `select id, seq, tags from assets
     where id in (select value from json_each(:ids)) and account_id = :account
       and replaces is null and status in ('uploading', 'completing', 'ready')`,
  )
  const update = prepare(
    'update assets set tags = :tags, search_tags = :search_tags, updated_at = :now where seq = :seq',
  )

  function* change(
    writer: Writer,
    assetIds: string[],
    { added, tagsOf }: { added: string[]; tagsOf: (tags: string[]) => string[] },
  ): Steps<TagOutcome> {
    const { account } = writer
    const rows = visible.all({ account, ids: JSON.stringify(assetIds) })
    const known = new Set(rows.map(({ id }) => id))
    const missing = assetIds.filter((id) => !known.has(id))
    if (missing.length > 0) return { outcome: 'assets_not_found', unknown: missing }
    yield
    const assets: { id: string; seq: number; before: string[]; tags: string[] }[] = []
    for (const { id, seq, tags } of rows) {
      const before: string[] = fromJson(tags ?? [])
      const after = tagsOf(before)
      if (after.length !== before.length) assets.push({ id, seq, before, tags: after })
      yield
    }
    const full = assets.filter(({ tags }) => tags.length > MAX_ASSET_TAGS)
    if (full.length > 0) return { outcome: 'assets_full', ids: full.map(({ id }) => id) }
    if (hasTooManyTags(account, added)) return { outcome: 'too_many_tags' }
    for (const { seq, before, tags } of assets) {
      update.run({ seq, now: Date.now(), ...encode(toTagColumns(tags)) })
      recordUpdate(writer, seq, { previous: { tags: before } })
      yield
    }
    return { outcome: 'done', changed: assets.map(toChangedTags) }
  }

  return {
    tagAssets: (writer: Writer, assetIds: string[], given: string[]) =>
      change(writer, assetIds, { added: given, tagsOf: (tags) => addTags(tags, given) }),
    untagAssets: (writer: Writer, assetIds: string[], given: string[]) =>
      change(writer, assetIds, { added: [], tagsOf: (tags) => removeTags(tags, given) }),
  }
}

export function prepareTags({ prepare }: Connection) {
  // The limit keeps the cost bounded: see `MAX_LISTED_TAGS`.
  const matching = `from (
      select tag, assets from tags where account_id = :account order by tag limit ${MAX_LISTED_TAGS})
    where (:name is null or instr(tag, :name) > 0)`
  const count = prepare<{ total: number }>(`select count(*) as total ${matching}`)
  const list = prepare<TagRow>(
    `select t.tag, t.assets, a.tags, a.search_tags
     from (
       select tag, assets ${matching} and (:after is null or tag > :after)
       order by tag limit +:limit offset +:offset) t
     left join assets a on a.seq = (
       select asset_seq from asset_tags where account_id = :account and tag = t.tag
       order by asset_id limit 1)
     order by t.tag`,
  )
  return {
    listTags({ account }: Writer, query: TagQuery): Rows<Tag> {
      const { page, perPage, after = null, name = null } = query
      const total = count.get({ account, name })?.total ?? 0
      const offset = after === null ? Math.min((page - 1) * perPage, MAX_LISTED_TAGS) : 0
      const rows = list.all({ account, name, after, limit: perPage, offset })
      return { rows: rows.map(toTag), total }
    },
  }
}
