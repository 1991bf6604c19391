import { newAccount, toComparison, type UsageRow } from '../shared/account-rows.ts'
import { BLOCKS_PER_STATEMENT } from '../shared/block-counts.ts'
import { PLAN_OPERATOR } from '../shared/events.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { execute, type Fragment, inTransaction, type Sql } from './connection.ts'
import { accountSnapshot, recordEvents } from './events.ts'
import { STATEMENTS } from './rows.ts'

export function globalAccounts(sql: Sql): DatabaseMethods['accounts'] {
  return {
    async ensureAccount(account) {
      await sql`
        insert into accounts (id, name, plan_name, plan_storage, plan_assets, created_at)
        values (${account.id}, ${account.name}, ${account.planName}, ${account.planStorage},
          ${account.planAssets ?? null}, ${account.createdAt})
        on conflict (name) do nothing`
      return (
        (await execute(sql, STATEMENTS.findAccount, { name: account.name })) ?? newAccount(account)
      )
    },
    changePlan: (id, plan) =>
      inTransaction(sql, async () => {
        const [changed] = await sql<{ is_low: boolean }[]>`
          with before as (select plan_storage from accounts where id = ${id} for no key update)
          update accounts set plan_name = ${plan.name}, plan_storage = ${plan.storage},
            plan_assets = case when ${plan.assets !== undefined} then ${plan.assets ?? null}::bigint else plan_assets end
          from before where id = ${id}
          returning (stored_bytes + reserved_bytes) * 10 >= accounts.plan_storage * 9
            and (stored_bytes + reserved_bytes) * 10 < before.plan_storage * 9 as is_low`
        if (!changed?.is_low) return
        const subjects = sql`
          select s.id as account_id, 1 as position, ${accountSnapshot(sql)} as data
          from accounts s where s.id = ${id}`
        const type = 'account.storage_low'
        await recordEvents(sql, { type, actor: PLAN_OPERATOR, subjects })
      }),
  }
}

/** The usage of accounts, by counters and by rows. */
export function globalUsage(sql: Sql): DatabaseMethods['usage'] {
  /** The counter of every block, and its actual number of assets. */
  const blocks = sql`(
    select b.account_id, b.first_id, b.assets as counted, (
        select count(*) from assets s where s.account_id = b.account_id and s.status = 'ready'
          and s.id >= b.first_id and (b.next_id is null or s.id < b.next_id)) as actual
    from (
      select account_id, first_id, assets,
        lead(first_id) over (partition by account_id order by first_id) as next_id
      from asset_blocks) b)`
  const sums = sql`
    select a.id,
      coalesce(sum(bytes) filter (where status = 'ready' and kind = 'file'), 0)::bigint + (
        select coalesce(sum(v.bytes), 0)::bigint from asset_versions v
        where v.account_id = a.id and not v.trashed
      ) as stored,
      coalesce(sum(bytes) filter (where status in ('uploading', 'completing')), 0)::bigint
        as reserved,
      (select coalesce(sum(r.bytes), 0)::bigint from removals r where r.account_id = a.id)
        as superseded,
      coalesce(sum(bytes) filter (where trashed_at is not null and kind = 'file'), 0)::bigint + (
        select coalesce(sum(v.bytes), 0)::bigint from asset_versions v
        where v.account_id = a.id and v.trashed
      ) as trash,
      count(*) filter (where status = 'ready') as assets
    from accounts a left join assets s on s.account_id = a.id group by a.id`
  /** The bytes of older versions count for their type, but older versions do not count as assets. */
  const byType = sql`
    select account_id, type, sum(bytes)::bigint as bytes, sum(assets)::bigint as assets
    from (
      select account_id, asset_type(kind, mime) as type,
        coalesce(sum(bytes) filter (where kind = 'file'), 0) as bytes, count(*) as assets
      from assets where status = 'ready' group by 1, 2
      union all
      select account_id, asset_type('file', mime), sum(bytes), 0
      from asset_versions where not trashed group by 1, 2
    ) used group by 1, 2`

  /** The tags of ready assets, by their rows. */
  const tagged = sql`
    select account_id, unnest(search_tags) as tag, id as asset_id from assets
    where status = 'ready' and search_tags is not null`
  const entries = sql`select account_id, tag, asset_id from asset_tags`
  const counters = sql`select account_id, tag, assets from tags`
  const countTagged = (rows: Fragment) =>
    sql`select account_id, tag, count(*) as assets from (${rows}) tagged group by 1, 2`
  /** Rows that are in one of two queries only. */
  const difference = (one: Fragment, other: Fragment) => sql`
    ((${one}) except (${other})) union all ((${other}) except (${one}))`
  const wrongTags = sql`
    select account_id, count(*) as count from (
      select account_id from (${difference(counters, countTagged(tagged))}) counted
      union all
      select account_id from (${difference(entries, tagged)}) listed
    ) wrong group by 1`

  async function lockAccount(account: string): Promise<void> {
    await sql`select from accounts where id = ${account} for no key update`
  }

  async function recountTags(account: string): Promise<void> {
    await sql`delete from tags where account_id = ${account}`
    await sql`
      insert into tags (account_id, tag, assets)
      ${countTagged(sql`${entries} where account_id = ${account}`)}`
  }

  return {
    async compareUsage() {
      const list = sql`
        json_agg(json_build_object('type', type, 'bytes', bytes, 'assets', assets) order by type)`
      const rows = await sql<UsageRow[]>`
        with sums as (${sums}),
          counted as (
            select account_id, ${list} as types from usage_by_type
            where assets > 0 or bytes > 0 group by 1
          ),
          actual as (
            select account_id, ${list} as types from (${byType}) used
            where assets > 0 or bytes > 0 group by 1
          )
        select a.id, stored_bytes, reserved_bytes, superseded_bytes, trash_bytes, asset_count,
          counted.types as counted_types, sums.stored as actual_stored,
          sums.reserved as actual_reserved, sums.superseded as actual_superseded,
          sums.trash as actual_trash,
          sums.assets as actual_assets, actual.types as actual_types,
          (select count(*) from ${blocks} b where b.account_id = a.id and b.counted <> b.actual)
            as wrong_blocks,
          coalesce(wrong.count, 0)::bigint as wrong_tags
        from accounts a left join (${wrongTags}) wrong on wrong.account_id = a.id
          join sums on sums.id = a.id
          left join counted on counted.account_id = a.id
          left join actual on actual.account_id = a.id
        order by a.id`
      return rows.map(toComparison)
    },
    recountUsage: (account) =>
      inTransaction(sql, async () => {
        // Every change of an asset also updates this row, and therefore waits for the lock.
        await lockAccount(account)
        await sql`
          update accounts set stored_bytes = sums.stored, reserved_bytes = sums.reserved,
            superseded_bytes = sums.superseded, trash_bytes = sums.trash, asset_count = sums.assets, revision = revision + 1
          from (${sums}) sums
          where accounts.id = sums.id and accounts.id = ${account}`
        await sql`delete from usage_by_type where account_id = ${account}`
        await sql`
          insert into usage_by_type (account_id, type, bytes, assets)
          select * from (${byType}) used where account_id = ${account}`
      }),
    recountBlocks: (account, after) =>
      inTransaction(sql, async () => {
        await lockAccount(account)
        const counted = await sql<{ first_id: string; next_id: string | null }[]>`
          with chosen as (
            select first_id, (
                select first_id from asset_blocks next
                where next.account_id = ${account} and next.first_id > b.first_id
                order by next.first_id limit 1
              ) as next_id
            from asset_blocks b
            where account_id = ${account} and (${after ?? null}::uuid is null or first_id > ${after ?? null})
            order by first_id limit ${BLOCKS_PER_STATEMENT}
          ), counted as (
            select first_id, next_id, (
                select count(*) from assets s where s.account_id = ${account}
                  and s.status = 'ready' and s.id >= chosen.first_id
                  and (chosen.next_id is null or s.id < chosen.next_id)
              ) as actual
            from chosen
          )
          update asset_blocks set assets = counted.actual, revision = accounts.revision
          from counted, accounts
          where asset_blocks.account_id = ${account}
            and asset_blocks.first_id = counted.first_id and accounts.id = ${account}
          returning asset_blocks.first_id, counted.next_id`
        for (const { first_id, next_id } of counted) {
          const inBlock = sql`
            account_id = ${account} and asset_id >= ${first_id}
            and (${next_id}::uuid is null or asset_id < ${next_id})`
          await sql`delete from asset_tags where ${inBlock}`
          await sql`
            insert into asset_tags (account_id, tag, asset_id)
            select account_id, tag, asset_id from (${tagged}) tagged where ${inBlock}`
        }
        if (counted.length === 0) await recountTags(account)
        return counted
          .map(({ first_id }) => first_id)
          .sort()
          .at(-1)
      }),
  }
}
