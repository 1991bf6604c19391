import type { Plan } from '../../domain/usage.ts'
import type { AccountSummary } from '../account-data.ts'
import type { Account, NewAccount, UsageComparison } from '../database.ts'
import { newAccount, toComparison, type UsageRow } from '../shared/account-rows.ts'
import { BLOCKS_PER_STATEMENT, MAX_ID } from '../shared/block-counts.ts'
import { PLAN_OPERATOR } from '../shared/events.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { STATEMENTS } from './rows.ts'

/** Whether 90 % of the plan is used. */
function isLow({ limit, stored, reserved }: AccountSummary): boolean {
  return (stored + reserved) * 10 >= limit * 9
}

export function prepareAccounts(connection: Connection) {
  const { prepare, transaction, execute } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const insert = prepare(
    `insert into accounts (id, name, plan_name, plan_storage, plan_assets, created_at)
     values (:id, :name, :plan_name, :plan_storage, :plan_assets, :created_at)
     on conflict (name) do nothing`,
  )
  const updatePlan = prepare(
    `update accounts set plan_name = :name, plan_storage = :storage,
       plan_assets = iif(:limits, :assets, plan_assets) where id = :id`,
  )
  return {
    ensureAccount(account: NewAccount): Account {
      insert.run({
        id: account.id,
        name: account.name,
        plan_name: account.planName,
        plan_storage: account.planStorage,
        plan_assets: account.planAssets ?? null,
        created_at: account.createdAt.getTime(),
      })
      return execute(STATEMENTS.findAccount, { name: account.name }) ?? newAccount(account)
    },
    changePlan(id: string, { name, storage, assets }: Plan): void {
      transaction(() => {
        const before = execute(STATEMENTS.readSummary, { account: id })
        const limits = Number(assets !== undefined)
        updatePlan.run({ id, name, storage, limits, assets: assets ?? null })
        const after = execute(STATEMENTS.readSummary, { account: id })
        const isNewlyLow = before && after && !isLow(before) && isLow(after)
        if (isNewlyLow)
          recordEvent({ account: id, actor: PLAN_OPERATOR }, 'account.storage_low', after)
      })
    },
  }
}

const SUMS = `coalesce(sum(bytes) filter (where status = 'ready' and kind = 'file'), 0) as stored,
  coalesce(sum(bytes) filter (where status in ('uploading', 'completing')), 0) as reserved,
  coalesce(sum(bytes) filter (where trashed_at is not null and kind = 'file'), 0) as trash,
  count(*) filter (where status = 'ready') as assets`

/** The bytes of older versions count for their type, but older versions do not count as assets. */
const BY_TYPE = `select account_id, type, sum(bytes) as bytes, sum(assets) as assets
  from (
    select account_id, type, iif(kind = 'file', bytes, 0) as bytes, 1 as assets
    from assets where status = 'ready'
    union all
    select account_id, type, bytes, 0 from asset_versions where trashed = 0)
  group by account_id, type`

const VERSION_BYTES = `(
  select coalesce(sum(bytes), 0) from asset_versions
  where trashed = 0 and asset_versions.account_id = `

const TRASHED_VERSION_BYTES = `(
  select coalesce(sum(bytes), 0) from asset_versions
  where trashed = 1 and asset_versions.account_id = `

const SUPERSEDED_BYTES = `(
  select coalesce(sum(bytes), 0) from removals where removals.account_id = `

const listOfTypes = (usage: string) => `select account_id, json_group_array(
    json_object('type', type, 'bytes', bytes, 'assets', assets) order by type) as types
  from (${usage}) where assets > 0 or bytes > 0 group by account_id`

/** The counter of every block, and its actual number of assets. */
const BLOCKS = `(
  select account_id, first_id, assets as counted, (
      select count(*) from assets where assets.account_id = b.account_id and status = 'ready'
        and id >= b.first_id and id < b.next_id) as actual
  from (
    select account_id, first_id, assets,
      lead(first_id, 1, '${MAX_ID}') over (partition by account_id order by first_id) as next_id
    from asset_blocks) b)`

/** The tags of ready assets, by their rows. */
const TAGGED = `(
  select account_id, json_each.value as tag, assets.id as asset_id, assets.seq as asset_seq
  from assets, json_each(search_tags) where status = 'ready')`

const tagCounts = (entries: string) =>
  `select account_id, tag, count(*) as assets from ${entries} group by account_id, tag`

/** Rows that are in one of two queries only. */
const difference = (one: string, other: string) =>
  `select * from (select * from (${one}) except select * from (${other}))
   union all select * from (select * from (${other}) except select * from (${one}))`

const WRONG_TAGS = `
  select account_id, count(*) as count from (
    select account_id from (${difference('select account_id, tag, assets from tags', tagCounts(TAGGED))})
    union all
    select account_id from (${difference(
      'select account_id, tag, asset_id, asset_seq from asset_tags',
      `select * from ${TAGGED}`,
    )}))
  group by account_id`

/** The usage of accounts, by counters and by rows. */
export function prepareUsage({ prepare, transaction }: Connection) {
  const comparison = prepare<UsageRow>(
    `select a.id, stored_bytes, reserved_bytes, superseded_bytes, trash_bytes, asset_count,
       counted.types as counted_types, coalesce(stored, 0) + ${VERSION_BYTES} a.id) as actual_stored,
       coalesce(reserved, 0) as actual_reserved, ${SUPERSEDED_BYTES} a.id) as actual_superseded,
       coalesce(trash, 0) + ${TRASHED_VERSION_BYTES} a.id) as actual_trash,
       coalesce(assets, 0) as actual_assets, actual.types as actual_types,
       (select count(*) from ${BLOCKS} where account_id = a.id and counted <> actual)
         as wrong_blocks, coalesce(wrong.count, 0) as wrong_tags
     from accounts a
     left join (${WRONG_TAGS}) wrong on wrong.account_id = a.id
     left join (select account_id, ${SUMS} from assets group by account_id) sums
       on sums.account_id = a.id
     left join (${listOfTypes('select * from usage_by_type')}) counted on counted.account_id = a.id
     left join (${listOfTypes(BY_TYPE)}) actual on actual.account_id = a.id`,
  )
  const countAccount = prepare(
    `update accounts set revision = revision + 1, superseded_bytes = ${SUPERSEDED_BYTES} accounts.id),
       (stored_bytes, reserved_bytes, trash_bytes, asset_count) = (
       select stored + ${VERSION_BYTES} accounts.id), reserved,
         trash + ${TRASHED_VERSION_BYTES} accounts.id), assets
       from (select ${SUMS} from assets where account_id = accounts.id))
     where id = :account`,
  )
  const deleteTypes = prepare('delete from usage_by_type where account_id = :account')
  const countTypes = prepare(
    `insert into usage_by_type (account_id, type, bytes, assets)
     select * from (${BY_TYPE}) where account_id = :account`,
  )
  const blocksAfter = prepare<{ first_id: string }>(
    `select first_id from asset_blocks where account_id = :account and (:after is null or first_id > :after)
     order by first_id limit ${BLOCKS_PER_STATEMENT}`,
  )
  const inBlock = `account_id = :account and asset_id >= :first_id and asset_id < coalesce((
    select min(first_id) from asset_blocks
    where account_id = :account and first_id > :first_id), '${MAX_ID}')`
  const deleteTags = prepare(`delete from asset_tags where ${inBlock}`)
  const addTags = prepare(
    `insert into asset_tags (account_id, tag, asset_id, asset_seq)
     select * from ${TAGGED} where ${inBlock}`,
  )
  const deleteTagCounts = prepare('delete from tags where account_id = :account')
  const countTags = prepare(
    `insert into tags (account_id, tag, assets) ${tagCounts('asset_tags where account_id = :account')}`,
  )
  const countBlock = prepare(
    `update asset_blocks set
       assets = (
         select count(*) from assets where account_id = :account and status = 'ready'
           and id >= :first_id and id < coalesce((
             select min(first_id) from asset_blocks where account_id = :account
               and first_id > :first_id), '${MAX_ID}')),
       revision = (select revision from accounts where id = :account)
     where account_id = :account and first_id = :first_id`,
  )
  return {
    compareUsage: (): UsageComparison[] => comparison.all().map(toComparison),
    recountUsage(account: string): void {
      transaction(() => {
        countAccount.run({ account })
        deleteTypes.run({ account })
        countTypes.run({ account })
      })
    },
    recountBlocks: (account: string, after: string | undefined): string | undefined =>
      transaction(() => {
        const blocks = blocksAfter.all({ account, after: after ?? null })
        for (const { first_id } of blocks) {
          countBlock.run({ account, first_id })
          deleteTags.run({ account, first_id })
          addTags.run({ account, first_id })
        }
        if (blocks.length === 0) {
          deleteTagCounts.run({ account })
          countTags.run({ account })
        }
        return blocks.at(-1)?.first_id
      }),
  }
}
