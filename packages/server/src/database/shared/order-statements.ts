import { DOWNLOAD_MS, STARTS_PER_DOWNLOAD } from '../../domain/order.ts'
import type { DownloadCount, DownloadMiscount, DownloadTotal } from '../order-data.ts'
import { type Dialect, statement } from './dialect.ts'
import {
  type AssetDownloadRow,
  type BrandingRow,
  type CoveredRow,
  type DownloadRow,
  type FileStateRow,
  type OrderFileRow,
  toAssetDownload,
  toBranding,
  toCoveredFiles,
  type toDownloadColumns,
  toLoggedDownload,
  toOrder,
  type toOrderColumns,
  toOrderFile,
} from './order-rows.ts'
import { ASSET_COLUMNS, type AssetRow } from './rows.ts'

type OfAccount = { account: string }
type Own = OfAccount & { id: string }
type OfFile = { order: string; asset: string }
type OrderColumns = ReturnType<typeof toOrderColumns>
type ChangedColumns = Omit<
  OrderColumns,
  | 'account'
  | 'source'
  | 'reference'
  | 'downloads'
  | 'revoked_at'
  | 'email_sent_at'
  | 'created_at'
  | 'updated_at'
  | 'token'
  | 'token_hash'
>

/** Rows of products and attachments that are read at most to find the files of an order. */
const MAX_COVERED_ROWS = 20_000

const PRODUCT_OF_LINE = `p.account_id = ol.account_id and p.product_id = ol.product_id
  and (ol.variant_id is null or p.variant_id = ol.variant_id)`

const DOWNLOAD_COLUMNS =
  'id, order_id, asset_id, version, filename, bytes, address_hash, opened_at, starts, cost'

/** The columns of an order. `o` is the name of the table in the statement. */
export function orderColumns({ clock, jsonArray, jsonGroup, nestedJson }: Dialect): string {
  const product = `(select ${jsonArray('p.id', 'p.name', 'p.variant_name', 'p.sku')} from products p
    where ${PRODUCT_OF_LINE} order by p.variant_id limit 1)`
  const line = jsonArray(
    'ol.product_id',
    'ol.variant_id',
    'ol.quantity',
    'ol.refunded',
    nestedJson(product),
  )
  return `o.id, o.account_id, o.source, o.reference, o.order_number, o.email, o.name, o.locale, o.label,
    o.downloads, o.max_downloads, o.expires_at, o.held, o.inline, o.revoked_at, o.email_sent_at, o.ordered_at, o.created_at,
    o.updated_at, o.more_requested_at, o.more_asset_id, o.token, o.token_hash, (o.expires_at is not null and o.expires_at <= ${clock}) as is_expired,
    (select ${jsonGroup(line, 'ol.line')} from order_lines ol where ol.order_id = o.id) as lines`
}

/** A condition: the order `o` covers the asset with this ID now. */
export function coversAsset({ attachment }: Dialect, asset: string): string {
  return `(exists (select 1 from order_assets oa where oa.order_id = o.id and oa.asset_id = ${asset})
    or exists (select 1 from order_lines ol where ol.order_id = o.id and ol.quantity > ol.refunded
      and ${linesWith({ attachment }, asset)}))`
}

/** A condition: the line `ol` covers the asset with this ID. */
function linesWith({ attachment }: Pick<Dialect, 'attachment'>, asset: string): string {
  return `exists (select 1 from products p join asset_products l on ${attachment.ofProduct}
    join assets a on ${attachment.ofAsset} where a.id = ${asset} and ${PRODUCT_OF_LINE})`
}

/** The statements of orders, downloads and branding. */
export function orderStatementsOf(dialect: Dialect, checksumOf: (key: string) => string) {
  const { clock, later, id, idsOf, lock, attachment, dayOf, joinInOrder } = dialect
  const columns = orderColumns(dialect)
  const assetColumns = ASSET_COLUMNS.map((column) => `a.${column}`).join(', ')
  const assetFields = `${assetColumns}, ${checksumOf('coalesce(a.object_key, a.id)')}`
  const isActive = `o.revoked_at is null and o.held = ${dialect.flag(false)}
    and (o.expires_at is null or o.expires_at > ${clock})`

  /** All downloads of an asset are of the orders of its account. */
  const hasAsset = 'exists (select 1 from assets a where a.id = :asset and a.account_id = :account)'
  /** How many times the limit applies to an asset of the order `o`; 0: the order does not cover it. */
  const copiesOf = (asset: string) => `case when not exists (
      select 1 from assets a where a.id = ${asset} and a.account_id = o.account_id and a.status = 'ready') then 0
    else coalesce((select sum(ol.quantity - ol.refunded) from order_lines ol
        where ol.order_id = o.id and ${linesWith(dialect, asset)}), 0)
      + (select count(*) from order_assets oa where oa.order_id = o.id and oa.asset_id = ${asset}) end`
  const limitOfOrder = `coalesce(o.max_downloads,
    (select b.max_downloads from branding b where b.account_id = o.account_id))`

  /** The state of a file of an order. `file` is its asset. */
  const fileState = (file: string, from: string) => `
    select o.id as order_id, ${file} as asset_id, o.revoked_at, o.held,
      (o.expires_at is not null and o.expires_at <= ${clock}) as is_expired,
      ${limitOfOrder} as max_downloads, ${copiesOf(file)} as copies,
      f.used, f.starts, f.download_id, f.open_until, (f.open_until > ${clock}) as is_open,
      a.filename, a.version, a.bytes
    ${from} left join assets a on a.id = ${file} and a.account_id = o.account_id`

  return {
    findOrder: statement<OfAccount & { id: string | null; reference: string }>(
      // With OR, SQLite would read every order of the account.
      `select ${columns} from orders o
       where o.id in (select id from orders where account_id = :account and id = ${id('id')}
         union all select id from orders where account_id = :account and reference = :reference)
       order by case when o.id = ${id('id')} then 0 else 1 end, o.source limit 1`,
    ).first(toOrder),
    lockOrder: statement<Own>(
      `select o.id from orders o where o.id = :id and o.account_id = :account ${lock}`,
    ).first(({ id }: { id: string }) => id),
    lockReference: statement<OfAccount & { source: string; reference: string | null }>(
      `select o.id from orders o
       where o.account_id = :account and o.reference = :reference and o.source = :source ${lock}`,
    ).first(({ id }: { id: string }) => id),
    insertOrder: statement<OrderColumns>(
      `insert into orders (id, account_id, source, reference, order_number, sort_number, email, name, locale, label,
         search_text, downloads, max_downloads, expires_at, held, inline, revoked_at, email_sent_at, ordered_at,
         created_at, updated_at, more_requested_at, more_asset_id, token, token_hash)
       values (:id, :account, :source, :reference, :order_number, :sort_number, :email, :name, :locale, :label,
         :search_text, :downloads, :max_downloads, :expires_at, :held, :inline, :revoked_at, :email_sent_at, :ordered_at,
         :created_at, :updated_at, :more_requested_at, :more_asset_id, :token, :token_hash)
       on conflict do nothing returning id`,
    ).first(({ id }: { id: string }) => id),
    updateOrder: statement<ChangedColumns>(
      `update orders set order_number = :order_number, sort_number = :sort_number, email = :email, name = :name, locale = :locale,
         label = :label, search_text = :search_text, max_downloads = :max_downloads,
         expires_at = :expires_at, held = :held, inline = :inline, ordered_at = :ordered_at,
         more_requested_at = :more_requested_at, more_asset_id = :more_asset_id
       where id = :id`,
    ).none(),
    touchOrder: statement<{ id: string }>(
      `update orders set updated_at = ${clock} where id = :id`,
    ).none(),
    revokeOrder: statement<{ id: string }>(
      `update orders set revoked_at = ${clock}, updated_at = ${clock}
       where id = :id and revoked_at is null returning id`,
    ).first(({ id }: { id: string }) => id),

    hasProduct: statement<OfAccount & { product: number; variant: number | null }>(
      `select 1 as found from products where account_id = :account and product_id = :product
         and (cast(:variant as bigint) is null or variant_id = :variant) limit 1`,
    ).first(() => true),
    deleteLines: statement<{ id: string }>('delete from order_lines where order_id = :id').none(),
    insertLine: statement<{
      order: string
      line: number
      account: string
      product: number
      variant: number | null
      quantity: number
      refunded: number
    }>(
      `insert into order_lines (order_id, line, account_id, product_id, variant_id, quantity, refunded)
       values (:order, :line, :account, :product, :variant, :quantity, :refunded)`,
    ).none(),

    unknownAssets: statement<OfAccount & { ids: string[] }>(
      `select value as id from ${idsOf('ids')} where not exists (
         select 1 from assets a where a.id = value and a.account_id = :account and a.status = 'ready')`,
    ).every(({ id }: { id: string }) => id),
    attach: statement<{ order: string; ids: string[] }>(
      `insert into order_assets (order_id, asset_id) select ${id('order')}, value from ${idsOf('ids')}
       where true on conflict do nothing returning asset_id`,
    ).every(({ asset_id }: { asset_id: string }) => asset_id),
    countAttached: statement<{ order: string; ids: string[] }>(
      `select count(*) as count from order_assets
       where order_id = :order and asset_id not in (select value from ${idsOf('ids')})`,
    ).first(({ count }: { count: number }) => count),
    detach: statement<{ order: string; ids: string[] }>(
      `delete from order_assets
       where order_id = :order and asset_id in (select value from ${idsOf('ids')}) returning asset_id`,
    ).every(({ asset_id }: { asset_id: string }) => asset_id),
    assetsOfOrders: statement<OfAccount & { ids: string[] }>(
      `select oa.order_id as owner_id, ${assetFields} from order_assets oa
       join assets a on a.id = oa.asset_id and a.account_id = :account and a.status = 'ready'
       where oa.order_id in (select value from ${idsOf('ids')}) order by a.id`,
    ).every((row: AssetRow & { owner_id: string }) => row),

    coveredFiles: statement<OfAccount & { order: string; limit: number }>(
      `with covered as (
         select distinct line, product, copies, asset from (
           select ol.line, p.product_id as product, ol.quantity - ol.refunded as copies,
             ${attachment.asset} as asset
           from order_lines ol ${joinInOrder} products p on ${PRODUCT_OF_LINE}
           ${joinInOrder} asset_products l on ${attachment.ofProduct}
           where ol.order_id = :order and ol.account_id = :account and ol.quantity > ol.refunded
           limit ${MAX_COVERED_ROWS}) found
         union all
         select null, null, 1, ${attachment.key} from order_assets oa
         join assets a on a.id = oa.asset_id where oa.order_id = :order
       )
       select covered.line, covered.copies, ${assetFields}, f.used, f.starts, f.open_until,
         coalesce(a.version_created_at, a.created_at) as version_at
       from covered join assets a on ${attachment.key} = covered.asset
         and a.account_id = :account and a.status = 'ready'
       left join order_files f on f.order_id = :order and f.asset_id = a.id
       left join product_files pf on pf.account_id = :account and pf.product_id = covered.product
         and pf.asset_id = a.id
       order by coalesce(covered.line, 1000000), coalesce(pf.position, 1000000), a.id limit :limit`,
    ).rows((rows: readonly CoveredRow[]) => toCoveredFiles(rows)),

    // The only statement that opens downloads. It checks the order and the limit, and counts.
    openDownload: statement<OfAccount & OfFile & { id: string }>(
      `insert into order_files (order_id, asset_id, used, allowed, download_id, open_until)
       select o.id, ${id('asset')}, 1, o.max_downloads * o.copies, ${id('id')}, ${later(clock, DOWNLOAD_MS)}
       from (select o.id, ${limitOfOrder} as max_downloads, ${copiesOf(':asset')} as copies
         from orders o where o.id = :order and o.account_id = :account and ${isActive}) o
       where o.copies > 0
       on conflict (order_id, asset_id) do update set used = order_files.used + 1, starts = 0,
         allowed = excluded.allowed, download_id = excluded.download_id, open_until = excluded.open_until,
         refused_at = null
       where order_files.open_until <= ${clock}
         and (excluded.allowed is null or order_files.used < excluded.allowed)
       returning open_until`,
    ).first(({ open_until }: { open_until: Date | number }) => new Date(open_until)),
    findFileState: statement<OfAccount & OfFile>(
      fileState(
        id('asset'),
        `from orders o left join order_files f on f.order_id = o.id and f.asset_id = :asset`,
      ).concat(' where o.id = :order and o.account_id = :account'),
    ).first((row: FileStateRow) => row),
    findDownloadState: statement<Own>(
      fileState('f.asset_id', 'from order_files f join orders o on o.id = f.order_id').concat(
        ' where f.download_id = :id and o.account_id = :account',
      ),
    ).first((row: FileStateRow) => row),
    // A start that counts as another download must be within the limit.
    startDownload: statement<{ id: string; allowed: number | null }>(
      `update order_files set starts = starts + 1,
         used = used + case when starts > 0 and starts % ${STARTS_PER_DOWNLOAD} = 0 then 1 else 0 end
       where download_id = :id and open_until > ${clock}
         and (starts = 0 or starts % ${STARTS_PER_DOWNLOAD} <> 0
           or cast(:allowed as bigint) is null or used < cast(:allowed as bigint))
       returning starts`,
    ).first(({ starts }: { starts: number }) => starts),
    noteRefusal: statement<OfFile>(
      `update order_files set refused_at = ${clock}
       where order_id = :order and asset_id = :asset and refused_at is null returning asset_id`,
    ).first(() => true),
    logStart: statement<{ id: string; cost: number }>(
      'update downloads set starts = starts + 1, cost = cost + :cost where id = :id',
    ).none(),
    insertDownload: statement<
      Omit<ReturnType<typeof toDownloadColumns>, 'opened_at'> & { opened_at: Date | null }
    >(
      `insert into downloads (${DOWNLOAD_COLUMNS})
       values (:id, :order, :asset, :version, :filename, :bytes, :address_hash,
         coalesce(:opened_at, ${clock}), :starts, :cost)
       on conflict do nothing`,
    ).none(),
    countOfOrder: statement<{ order: string }>(
      'update orders set downloads = downloads + 1 where id = :order',
    ).none(),
    countDownload: statement<OfAccount & { by: string; subject: string }>(
      `insert into download_counts (account_id, kind, day, subject, downloads)
       values (:account, :by, ${dayOf(clock)}, :subject, 1)
       on conflict (account_id, kind, day, subject) do update set downloads = download_counts.downloads + 1`,
    ).none(),
    listCounts: statement<OfAccount & { by: string; day: number; subject: string; limit: number }>(
      `select kind as "by", day, subject, downloads from download_counts
       where account_id = :account and (kind, day, subject) > (:by, :day, :subject)
       order by kind, day, subject limit :limit`,
    ).every((row: DownloadCount) => row),
    importCount: statement<
      OfAccount & { by: string; day: number; subject: string; downloads: number }
    >(
      `insert into download_counts (account_id, kind, day, subject, downloads)
       values (:account, :by, :day, :subject, :downloads) on conflict do nothing`,
    ).none(),
    productsWith: statement<OfFile>(
      `select distinct ol.product_id from order_lines ol
       where ol.order_id = :order and ol.quantity > ol.refunded and ${linesWith(dialect, ':asset')}
       order by ol.product_id`,
    ).every(({ product_id }: { product_id: number }) => product_id),
    countLog: statement<OfAccount & { order: string }>(
      `select count(*) as count from downloads
       where order_id = (select o.id from orders o where o.id = :order and o.account_id = :account)`,
    ).first(({ count }: { count: number }) => count),
    listLog: statement<
      OfAccount & { order: string; after: string | null; limit: number; offset: number }
    >(
      `select ${DOWNLOAD_COLUMNS} from downloads
       where order_id = (select o.id from orders o where o.id = :order and o.account_id = :account)
         and (${id('after')} is null or id < ${id('after')})
       order by id desc limit :limit offset :offset`,
    ).every((row: DownloadRow) => toLoggedDownload(row)),
    countLogOfAsset: statement<OfAccount & { asset: string; most: number }>(
      `select count(*) as count from (
         select 1 from downloads d where d.asset_id = :asset and ${hasAsset} limit :most) found`,
    ).first(({ count }: { count: number }) => count),
    listLogOfAsset: statement<
      OfAccount & { asset: string; after: string | null; limit: number; offset: number }
    >(
      `select ${DOWNLOAD_COLUMNS.split(', ')
        .map((column) => `d.${column}`)
        .join(', ')}, o.order_number, o.name, o.email, o.label, o.reference
       from (select d.id from downloads d
         where d.asset_id = :asset and ${hasAsset} and (${id('after')} is null or d.id < ${id('after')})
         order by d.id desc limit :limit offset :offset) page
       ${joinInOrder} downloads d on d.id = page.id join orders o on o.id = d.order_id order by d.id desc`,
    ).every((row: AssetDownloadRow) => toAssetDownload(row)),
    totalsOfAsset: statement<
      OfAccount & { asset: string; from: number; to: number; limit: number }
    >(
      `select day, downloads from download_counts
       where account_id = :account and kind = 'asset' and subject = :asset and day between :from and :to
       order by day limit :limit`,
    ).every(toDayTotal),
    namesOfAssets: statement<OfAccount & { ids: string[] }>(
      `select a.id, a.filename from assets a
       where a.account_id = :account and a.id in (select value from ${idsOf('ids')})`,
    ).every((row: { id: string; filename: string }): [string, string] => [row.id, row.filename]),
    totalsByDay: statement<OfAccount & { from: number; to: number; limit: number }>(
      `select day, downloads from download_counts
       where account_id = :account and kind = 'day' and day between :from and :to order by day limit :limit`,
    ).every(toDayTotal),
    totalsBy: statement<OfAccount & { by: string; from: number; to: number; limit: number }>(
      `select subject, cast(sum(downloads) as bigint) as downloads from download_counts
       where account_id = :account and kind = :by and day between :from and :to
       group by subject order by 2 desc, subject limit :limit`,
    ).every((row: DownloadTotal) => row),

    findBranding: statement<OfAccount>(
      `select name, logo, color, help_text, help_email, max_downloads from branding
       where account_id = :account`,
    ).first((row: BrandingRow) => toBranding(row)),
    putBranding: statement<OfAccount & { [Name in keyof BrandingRow]: BrandingRow[Name] }>(
      `insert into branding (account_id, name, logo, color, help_text, help_email, max_downloads, updated_at)
       values (:account, :name, :logo, :color, :help_text, :help_email, :max_downloads, ${clock})
       on conflict (account_id) do update set name = excluded.name, logo = excluded.logo,
         color = excluded.color, help_text = excluded.help_text, help_email = excluded.help_email,
         max_downloads = excluded.max_downloads, updated_at = excluded.updated_at`,
    ).none(),
    countOrders: statement<OfAccount & { added: number }>(
      'update accounts set order_count = order_count + :added where id = :account',
    ).none(),
    lockAccount: statement<OfAccount>(`select id from accounts where id = :account ${lock}`).none(),

    findOrderByToken: statement<{ hash: string }>(
      'select account_id, id from orders where token_hash = :hash',
    ).first(({ account_id, id }: { account_id: string; id: string }) => {
      return { accountId: account_id, id }
    }),
    findDownload: statement<{ id: string }>(
      `select o.account_id, f.order_id, f.open_until from order_files f join orders o on o.id = f.order_id
       where f.download_id = :id`,
    ).first((row: { account_id: string; order_id: string; open_until: Date | number }) => {
      const { account_id: accountId, order_id: orderId, open_until } = row
      return { accountId, orderId, openUntil: new Date(open_until) }
    }),
    miscountedFiles: statement<{ limit: number }>(
      `select o.account_id, l.order_id, l.asset_id, coalesce(f.used, 0) as counted, l.cost as actual
       from (select order_id, asset_id, cast(sum(cost) as bigint) as cost from downloads group by order_id, asset_id) l
       join orders o on o.id = l.order_id
       left join order_files f on f.order_id = l.order_id and f.asset_id = l.asset_id
       where l.cost > coalesce(f.used, 0) limit :limit`,
    ).every(
      (row: MiscountRow & { order_id: string; asset_id: string }): DownloadMiscount => ({
        ...toMiscount(row),
        kind: 'file',
        orderId: row.order_id,
        assetId: row.asset_id,
      }),
    ),
    miscountedOrders: statement<{ limit: number }>(
      `select o.account_id, o.id as order_id, o.downloads as counted, coalesce(f.used, 0) as actual
       from orders o left join (
         select order_id, cast(sum(used) as bigint) as used from order_files group by order_id) f on f.order_id = o.id
       where o.downloads <> coalesce(f.used, 0) limit :limit`,
    ).every(
      (row: MiscountRow & { order_id: string }): DownloadMiscount => ({
        ...toMiscount(row),
        kind: 'order',
        orderId: row.order_id,
      }),
    ),
    miscountedDays: statement<{ limit: number }>(
      `select account_id, day, counted, actual from (
         select account_id, day, cast(sum(case when kind = 'day' then downloads else 0 end) as bigint) as counted,
           cast(sum(case when kind = 'asset' then downloads else 0 end) as bigint) as actual
         from download_counts group by account_id, day) counts
       where counted <> actual limit :limit`,
    ).every(
      (row: MiscountRow & { day: number }): DownloadMiscount => ({
        ...toMiscount(row),
        kind: 'day',
        day: row.day,
      }),
    ),
    miscountedAccounts: statement<{ limit: number }>(
      `select a.id as account_id, a.order_count as counted, coalesce(o.count, 0) as actual
       from accounts a left join (
         select account_id, count(*) as count from orders group by account_id) o on o.account_id = a.id
       where a.order_count <> coalesce(o.count, 0) limit :limit`,
    ).every((row: MiscountRow): DownloadMiscount => ({ ...toMiscount(row), kind: 'orders' })),
    recountOrders: statement<OfAccount>(
      `update accounts set order_count = (select count(*) from orders where account_id = :account)
       where id = :account`,
    ).none(),
    recountFile: statement<OfFile>(
      `insert into order_files (order_id, asset_id, used, download_id, open_until)
       select ${id('order')}, ${id('asset')}, cast(sum(cost) as integer),
         (select last.id from downloads last where last.order_id = :order and last.asset_id = :asset
          order by last.id desc limit 1), ${clock}
       from downloads where order_id = :order and asset_id = :asset having count(*) > 0
       on conflict (order_id, asset_id) do update set used = excluded.used where order_files.used < excluded.used`,
    ).none(),
    recountOrder: statement<{ order: string }>(
      `update orders set downloads = coalesce((
         select cast(sum(used) as integer) from order_files where order_id = :order), 0) where id = :order`,
    ).none(),
    recountDay: statement<OfAccount & { day: number }>(
      `insert into download_counts (account_id, kind, day, subject, downloads)
       select ${id('account')}, 'day', cast(:day as integer), '', cast(coalesce(sum(downloads), 0) as bigint)
       from download_counts where account_id = :account and kind = 'asset' and day = :day
       on conflict (account_id, kind, day, subject) do update set downloads = excluded.downloads`,
    ).none(),
    forgetDownloadCounts: statement<{ before: number; limit: number }>(
      `delete from download_counts where (account_id, kind, day, subject) in (
         select account_id, kind, day, subject from download_counts where day < :before limit :limit)
       returning day`,
    ).every(() => true),
    forgetDownloads: statement<{ kept_for: number; limit: number }>(
      `delete from downloads where id in (
         select id from downloads where opened_at <= ${dialect.earlier(clock, ':kept_for')} limit :limit)
       returning id`,
    ).every(() => true),
    listRecords: statement<OfAccount & { after: string | null; limit: number }>(
      `select ${columns} from orders o
       where o.account_id = :account and (${id('after')} is null or o.id > ${id('after')})
       order by o.id limit :limit`,
    ).every(toOrder),
    attachedIds: statement<{ order: string }>(
      'select asset_id from order_assets where order_id = :order order by asset_id',
    ).every(({ asset_id }: { asset_id: string }) => asset_id),
    filesOfOrder: statement<{ order: string }>(
      `select asset_id, used, download_id, open_until, starts from order_files where order_id = :order`,
    ).every((row: OrderFileRow) => toOrderFile(row)),
    importFile: statement<{
      order: string
      asset: string
      used: number
      download: string
      open_until: Date
      starts: number
    }>(
      `insert into order_files (order_id, asset_id, used, download_id, open_until, starts)
       values (:order, :asset, :used, :download, :open_until, :starts) on conflict do nothing`,
    ).none(),
  }
}

interface MiscountRow {
  account_id: string
  counted: number
  actual: number
}

function toMiscount({ account_id: accountId, counted, actual }: MiscountRow) {
  return { accountId, counted, actual }
}

function toDayTotal({ day, downloads }: { day: number; downloads: number }): DownloadTotal {
  return { subject: new Date(day * 86_400_000).toISOString().slice(0, 10), downloads }
}

export type OrderStatements = ReturnType<typeof orderStatementsOf>
