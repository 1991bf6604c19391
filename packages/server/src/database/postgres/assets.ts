import type { Asset, AssetStatus, Upload } from '../../domain/asset.ts'
import { searchPath, storedFolder } from '../../domain/names.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { LinkOutcome } from '../idempotency-data.ts'
import { changedValues } from '../shared/events.ts'
import { type AssetRow, toAsset, toTagColumns } from '../shared/rows.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import { transition } from './completion.ts'
import { inTransaction, type Sql } from './connection.ts'
import { assetSnapshot, recordChange, runAndMark } from './events.ts'
import { assetColumns } from './rows.ts'
import { hasTooManyTags, noteTagged } from './tags.ts'
import { type DeletableRow, deletePermanently, exceptFromDeletion, isDeletable } from './trash.ts'
import { exceedAssets, lockAssetLimit } from './uploads.ts'

export function accountAssets(sql: Sql, writer: Writer): AccountMethods['assets'] {
  const { account, actor } = writer
  const columns = assetColumns(sql)

  return {
    async addLink(asset: Asset) {
      // Without tags and a limit of assets, one statement suffices, which needs no transaction.
      const isPlain = asset.tags.length === 0
      if (isPlain && (await tryInsertLink(sql, writer, asset, { isWithinAssets: false })))
        return 'added'
      return inTransaction(sql, () => insertLink(sql, writer, asset))
    },

    async changeAsset(id, { filename = null, url = null, bytes = null, path, tags, isInline }) {
      const isChange =
        (filename ?? url ?? bytes) !== null ||
        [path, tags, isInline].some((value) => value !== undefined)
      const searchName = filename === null ? null : foldText(filename)
      const moved =
        path === undefined
          ? sql``
          : sql`, folder = ${storedFolder(path)}, search_path = ${searchPath(path)}`
      const columnsOfTags = toTagColumns(tags ?? [])
      const retagged =
        tags === undefined
          ? sql``
          : sql`, tags = ${columnsOfTags.tags}::text[], search_tags = ${columnsOfTags.search_tags}::text[]`
      return inTransaction(sql, async () => {
        const changeable = sql`
          id = ${id} and account_id = ${account} and replaces is null
            and status in ('uploading', 'completing', 'ready')`
        const [before] = await sql<AssetRow[]>`
          select ${columns} from assets where ${changeable} for no key update`
        if (before === undefined) return undefined
        // The asset is locked before the account, which keeps others from adding tags until the end.
        if (tags !== undefined && (await hasTooManyTags(sql, account, tags))) return 'too_many_tags'
        const [changed] = await sql<AssetRow[]>`
          update assets set filename = coalesce(${filename}, filename),
            search_name = coalesce(${searchName}, search_name),
            sort_name = coalesce(${filename === null ? null : sortName(filename)}, sort_name), url = coalesce(${url}, url),
            bytes = coalesce(${bytes}::bigint, bytes), inline = coalesce(${isInline ?? null}::boolean, inline)
            ${isChange ? sql`, updated_at = now()` : sql``}
            ${moved}
            ${retagged}
          where id = ${id} returning ${columns}`
        if (tags !== undefined) await noteTagged(sql, account, [id])
        const asset = changed && toAsset(changed)
        if (asset !== undefined && isChange) {
          const previous = changedValues(toAsset(before), asset)
          await recordChange(sql, actor, id, { type: 'asset.updated', previous })
        }
        return asset
      })
    },

    async deleteAsset(id) {
      let replacement: Upload | undefined
      const change = async () => {
        const [locked] = await sql<DeletableRow[]>`
          select id, status from assets
          where id = ${id} and account_id = ${account} and ${isDeletable(sql)} for no key update`
        if (locked === undefined) return false
        const cancelled = await deletePermanently(sql, actor, [locked])
        replacement = cancelled[0]
        return true
      }
      const readStatus = async () => {
        const [found] = await sql<{ status: AssetStatus }[]>`
          select status from assets
          where id = ${id} and account_id = ${account} and replaces is null`
        return found?.status
      }
      const deletion = await transition({
        from: 'ready',
        to: 'deleted',
        change: () => inTransaction(sql, change),
        readStatus,
      })
      return { ...deletion, ...(replacement && { replacement }) }
    },
  }
}

/** In the caller's transaction. */
export async function insertLink(sql: Sql, writer: Writer, asset: Asset): Promise<LinkOutcome> {
  const { account } = writer
  const isLimited = await lockAssetLimit(sql, account)
  const exceeded = isLimited ? await exceedAssets(sql, account, 1) : undefined
  if (exceeded) return exceeded
  if (await hasTooManyTags(sql, account, asset.tags)) return 'too_many_tags'
  const isAdded = await tryInsertLink(sql, writer, asset, { isWithinAssets: true })
  if (!isAdded) throw new Error(`there is no account ${account}`)
  return 'added'
}

/** False if the plan limits the number of assets, and the caller has not checked it. */
async function tryInsertLink(
  sql: Sql,
  { account, actor }: Writer,
  asset: Asset,
  { isWithinAssets }: { isWithinAssets: boolean },
): Promise<boolean> {
  const { tags, search_tags } = toTagColumns(asset.tags)
  const statement = sql`
    with link as (
      insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes,
        mime, url, created_at, changed_at, folder, search_path, tags, search_tags)
      select ${asset.id}, id, 'link', 'ready', ${asset.filename},
        ${foldText(asset.filename)}, ${sortName(asset.filename)}, ${asset.bytes}::bigint, ${asset.mime}, ${asset.url},
        ${asset.createdAt}::timestamptz, ${asset.createdAt}::timestamptz, ${storedFolder(asset.path)},
        ${searchPath(asset.path)}, ${tags}::text[], ${search_tags}::text[]
      from accounts where id = ${account} and (plan_assets is null or ${isWithinAssets})
      returning *
    ), counted as (
      update accounts set asset_count = asset_count + 1, last_event = last_event + 1
      from link where accounts.id = link.account_id returning last_event, trash_until
    ), excepted as (${exceptFromDeletion(sql, { assets: sql`link`, counted: sql`counted` })})
    insert into events (account_id, id, type, created_at, actor, data)
    select s.account_id, last_event, 'asset.ready', clock_timestamp(), ${actor}::text::json,
      ${assetSnapshot(sql)}
    from link s, counted`
  return (await runAndMark(sql, account, statement)).count > 0
}
