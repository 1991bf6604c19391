import { foldAddress, type MailSettings } from '../../domain/mail.ts'
import { MAX_LISTED_MAILS } from '../mail-data.ts'
import { type Dialect, statement } from './dialect.ts'
import { MAIL_COLUMNS, type MailColumns, NOTICE_COLUMNS, toMail, toNotice } from './mail-rows.ts'
import { toOrder } from './order-rows.ts'
import { coversAsset, orderColumns } from './order-statements.ts'
import { type Flag, fromJson, type Json, type Time } from './rows.ts'

type OfAccount = { account: string }
type Own = OfAccount & { id: string }

/** An order that a notice looks at. */
export interface Candidate {
  orderId: string
  address: string | null
  locale: string | null
  isBuyer: boolean
}

const count = ({ count }: { count: number }) => Number(count)

type MailFilter = OfAccount & {
  state: string | null
  kind: string | null
  order: string | null
  notice: string | null
}

/** The statements of mails, notices and their settings. */
export function mailStatementsOf(dialect: Dialect) {
  const { clock, later, earlier, id, isIn, lock, flag } = dialect
  const text = (name: string) => `cast(:${name} as text)`
  const isListed = `account_id = :account and (${text('state')} is null or state = :state)
    and (${text('kind')} is null or kind = :kind) and (${id('order')} is null or order_id = ${id('order')})
    and (${id('notice')} is null or notice_id = ${id('notice')})`
  const isActive = `o.revoked_at is null and o.held = ${flag(false)}
    and (o.expires_at is null or o.expires_at > ${clock})`
  const insertMail = `insert into mails (id, account_id, kind, cause, order_id, notice_id, asset_id, recipient, locale,
      message_id, state, due_at, retry_until, created_at)
    select ${id('id')}, ${id('account')}, ${text('kind')}, ${text('cause')}, ${id('order')}, ${id('notice')}, ${id('asset')},
      ${text('recipient')}, ${text('locale')}, ${text('message_id')}, 'queued', ${clock}, ${later(clock, ':retry_for')}, ${clock}`

  return {
    insertMail: statement<MailColumns & { retry_for: number }>(
      `${insertMail} where true on conflict do nothing returning ${MAIL_COLUMNS}`,
    ).first(toMail),
    /** Not if the order has a mail of its creation. */
    insertMailOfOrder: statement<MailColumns & { retry_for: number }>(
      `${insertMail} where not exists (select 1 from mails m where m.order_id = ${id('order')} and m.cause = 'order')
       on conflict do nothing returning ${MAIL_COLUMNS}`,
    ).first(toMail),
    insertNews: statement<MailColumns & { retry_for: number; address: string }>(
      `${insertMail} where not exists (
         select 1 from mail_unsubscribed u where u.account_id = ${id('account')} and u.address = :address)
       on conflict do nothing returning ${MAIL_COLUMNS}`,
    ).first(toMail),
    insertLinksMail: statement<MailColumns & { retry_for: number; quiet: number }>(
      `${insertMail} where not exists (select 1 from mails m where m.cause = 'find' and m.recipient = :recipient
         and m.account_id = ${id('account')} and m.created_at > ${earlier(clock, ':quiet')})
       on conflict do nothing returning ${MAIL_COLUMNS}`,
    ).first(toMail),
    countCalled: statement<OfAccount & { within: number }>(
      `select count(*) as count from mails
       where account_id = :account and cause = 'call' and created_at > ${earlier(clock, ':within')}`,
    ).first(count),
    findMail: statement<Own>(
      `select ${MAIL_COLUMNS} from mails where id = :id and account_id = :account`,
    ).first(toMail),
    countMails: statement<MailFilter>(
      `select count(*) as count from (
         select 1 from mails where ${isListed} limit ${MAX_LISTED_MAILS}) found`,
    ).first(count),
    listMails: statement<MailFilter & { after: string | null; limit: number; offset: number }>(
      `select ${MAIL_COLUMNS} from mails where ${isListed} and (${id('after')} is null or id < ${id('after')})
       order by id desc limit :limit offset :offset`,
    ).every(toMail),
    hastenMail: statement<Own & { retry_for: number }>(
      `update mails set due_at = ${clock}, retry_until = ${later(clock, ':retry_for')}
       where id = :id and account_id = :account and state = 'queued' returning id`,
    ).first(() => true),
    hastenMailsOfOrder: statement<{ order: string; retry_for: number }>(
      `update mails set due_at = ${clock}, retry_until = ${later(clock, ':retry_for')}
       where order_id = :order and state = 'queued'`,
    ).none(),

    recordMail: statement<{
      id: string
      attempts: number
      given_back: number
      state: string
      reason: string | null
      after: number
      sent: boolean
    }>(
      `update mails set state = :state, reason = :reason, attempts = attempts - :given_back,
         due_at = ${later(clock, ':after')}, sent_at = case when :sent = ${flag(true)} then ${clock} else sent_at end
       where id = :id and state = 'sending' and attempts = :attempts returning ${MAIL_COLUMNS}`,
    ).first(toMail),
    /** Changes a mail of an order that it no longer waits for. */
    hastenIfReleased: statement<{ id: string; retry_for: number }>(
      `update mails set due_at = ${clock}, retry_until = ${later(clock, ':retry_for')}
       where id = :id and state = 'queued'
         and exists (select 1 from orders o where o.id = mails.order_id
           and (o.held = ${flag(false)} or o.revoked_at is not null))`,
    ).none(),
    lockNotice: statement<{ id: string }>(`select id from notices where id = :id ${lock}`).none(),
    /** Changes a mail of a notice that is not cancelled. */
    requeueIfStarted: statement<{ id: string; retry_for: number }>(
      `update mails set state = 'queued', reason = null, due_at = ${clock}, retry_until = ${later(clock, ':retry_for')}
       where id = :id and state = 'cancelled'
         and exists (select 1 from notices n where n.id = mails.notice_id and n.state <> 'cancelled')`,
    ).none(),
    noteSent: statement<{ order: string }>(
      `update orders set email_sent_at = ${clock} where id = :order`,
    ).none(),
    findMailSettings: statement<OfAccount>(
      'select reply_to, texts from mail_settings where account_id = :account',
    ).first(
      ({
        reply_to,
        texts,
      }: {
        reply_to: string | null
        texts: Json<MailSettings['texts']>
      }): MailSettings => {
        return { replyTo: reply_to, texts: fromJson(texts) }
      },
    ),
    putMailSettings: statement<OfAccount & { reply_to: string | null; texts: string }>(
      `insert into mail_settings (account_id, reply_to, texts, updated_at)
       values (:account, :reply_to, :texts, ${clock})
       on conflict (account_id) do update set reply_to = excluded.reply_to, texts = excluded.texts,
         updated_at = excluded.updated_at`,
    ).none(),
    lockAccount: statement<OfAccount>(`select id from accounts where id = :account ${lock}`).none(),

    unsubscribe: statement<OfAccount & { address: string }>(
      `insert into mail_unsubscribed (account_id, address, created_at) values (:account, :address, ${clock})
       on conflict do nothing`,
    ).none(),
    subscribe: statement<OfAccount & { address: string }>(
      'delete from mail_unsubscribed where account_id = :account and address = :address',
    ).none(),
    isUnsubscribed: statement<OfAccount & { address: string }>(
      'select 1 as found from mail_unsubscribed where account_id = :account and address = :address',
    ).first(() => true),
    listUnsubscribedAmong: statement<OfAccount & { addresses: readonly string[] }>(
      `select address from mail_unsubscribed
       where account_id = :account and ${isIn('address', 'addresses')}`,
    ).every(({ address }: { address: string }) => address),
    listUnsubscribed: statement<OfAccount & { after: string; limit: number }>(
      `select address from mail_unsubscribed where account_id = :account and address > :after
       order by address limit :limit`,
    ).every(({ address }: { address: string }) => address),

    insertNotice: statement<
      Own & { asset: string; version: number; before: Date; recipients: number }
    >(
      `insert into notices (id, account_id, asset_id, version, state, orders_before, recipients, next_at, created_at, updated_at)
       values (:id, :account, :asset, :version, 'sending', :before, :recipients, ${clock}, ${clock}, ${clock})
       on conflict do nothing`,
    ).none(),
    restartNotice: statement<OfAccount & { asset: string; version: number; recipients: number }>(
      `update notices set state = 'sending', recipients = :recipients, next_at = ${clock}, updated_at = ${clock}
       where account_id = :account and asset_id = :asset and version = :version and state = 'cancelled'
       returning id`,
    ).first(({ id }: { id: string }) => id),
    findNoticeOfVersion: statement<OfAccount & { asset: string; version: number }>(
      `select ${NOTICE_COLUMNS} from notices
       where account_id = :account and asset_id = :asset and version = :version`,
    ).first(toNotice),
    findNotice: statement<Own>(
      `select ${NOTICE_COLUMNS} from notices where id = :id and account_id = :account`,
    ).first(toNotice),
    listNotices: statement<OfAccount & { asset: string }>(
      `select ${NOTICE_COLUMNS} from notices where account_id = :account and asset_id = :asset
       order by version desc limit 100`,
    ).every(toNotice),
    changeNotice: statement<Own & { state: string }>(
      `update notices set state = :state, updated_at = ${clock}, next_at = ${clock}
       where id = :id and account_id = :account and state in ('sending', 'paused') and state <> :state returning id`,
    ).first(() => true),
    cancelMailsOfNotice: statement<{ id: string; reason: string }>(
      `update mails set state = 'cancelled', reason = :reason
       where notice_id = :id and cause = 'notice' and state = 'queued'`,
    ).none(),
    /** The time of a pause does not count. */
    resumeMailsOfNotice: statement<{ id: string; retry_for: number }>(
      `update mails set retry_until = ${later(clock, ':retry_for')}
       where notice_id = :id and cause = 'notice' and state = 'queued'`,
    ).none(),
    requeueMailsOfNotice: statement<{ id: string; reason: string; retry_for: number }>(
      `update mails set state = 'queued', reason = null, due_at = ${clock}, retry_until = ${later(clock, ':retry_for')}
       where notice_id = :id and cause = 'notice' and state = 'cancelled' and reason = :reason`,
    ).none(),
    dueNotices: statement<{ limit: number }>(
      `select ${NOTICE_COLUMNS} from notices where state = 'sending' and next_at <= (select ${clock})
       order by next_at limit :limit`,
    ).every(toNotice),
    postponeNotice: statement<{ id: string; pause: number }>(
      `update notices set next_at = ${later(clock, ':pause')} where id = :id and state = 'sending'`,
    ).none(),
    /** Locks the notice, unless another instance has just continued it. Whatever follows, others get their turn. */
    beginStep: statement<{ id: string; pause: number }>(
      `update notices set next_at = ${later(clock, ':pause')}
       where id = :id and state = 'sending' and next_at <= ${clock} returning ${NOTICE_COLUMNS}`,
    ).first(toNotice),
    countPending: statement<{ id: string; most: number }>(
      `select count(*) as count from (select 1 from mails where notice_id = :id and cause = 'notice'
         and state in ('queued', 'sending') limit :most) pending`,
    ).first(count),
    endStep: statement<{ id: string; last: string | null; added: number; done: boolean }>(
      `update notices set last_order = ${id('last')}, queued = queued + :added, updated_at = ${clock},
         state = case when :done = ${flag(true)} then 'done' else state end
       where id = :id`,
    ).none(),
    candidates: statement<
      OfAccount & { asset: string; before: Date; after: string | null; limit: number }
    >(
      `select o.id, o.email, o.locale, (${isActive} and ${coversAsset(dialect, ':asset')}) as is_buyer
       from (select * from orders where account_id = :account and created_at < :before
         and (${id('after')} is null or id > ${id('after')}) order by id limit :limit) o
       order by o.id`,
    ).every(
      (row: {
        id: string
        email: string | null
        locale: string | null
        is_buyer: Flag
      }): Candidate => {
        const { id: orderId, email: address, locale } = row
        return { orderId, address, locale, isBuyer: Boolean(row.is_buyer) }
      },
    ),
    importNotice: statement<
      Own & {
        asset: string
        version: number
        state: string
        before: Date
        last: string | null
        recipients: number
        queued: number
        created_at: Date
        updated_at: Date
      }
    >(
      `insert into notices (id, account_id, asset_id, version, state, orders_before, last_order, recipients, queued, next_at,
         created_at, updated_at)
       values (:id, :account, :asset, :version, :state, :before, :last, :recipients, :queued, ${clock}, :created_at, :updated_at)
       on conflict do nothing`,
    ).none(),
    listNoticeRecords: statement<OfAccount>(
      `select ${NOTICE_COLUMNS} from notices where account_id = :account order by id`,
    ).every(toNotice),
    importMail: statement<
      MailColumns & {
        state: string
        attempts: number
        due_at: Date
        retry_until: Date
        reason: string | null
        created_at: Date
        sent_at: Date | null
      }
    >(
      `insert into mails (${MAIL_COLUMNS})
       values (:id, :account, :kind, :cause, :order, :notice, :asset, :recipient, :locale, :message_id, :state,
         :attempts, :due_at, :retry_until, :reason, :created_at, :sent_at)
       on conflict do nothing`,
    ).none(),
    listMailRecords: statement<OfAccount & { after: string | null; limit: number }>(
      `select ${MAIL_COLUMNS} from mails
       where account_id = :account and (${id('after')} is null or id > ${id('after')}) order by id limit :limit`,
    ).every(toMail),

    accountsOfAddress: statement<{ address: string; limit: number }>(
      `select distinct account_id from orders where lower(email) = lower(:address) and email is not null
       order by account_id limit :limit`,
    ).every(({ account_id }: { account_id: string }) => account_id),
    ordersOfAddress: statement<OfAccount & { address: string; limit: number }>(
      `select ${orderColumns(dialect)} from orders o
       where lower(o.email) = lower(:address) and o.email is not null and o.account_id = :account
       order by o.id desc limit :limit`,
    ).every(toOrder),

    findMore: statement<Own>(
      `select o.more_requested_at from orders o where o.id = :id and o.account_id = :account`,
    ).first(
      ({ more_requested_at }: { more_requested_at: Time | null }) => more_requested_at !== null,
    ),
    requestMore: statement<Own & { asset: string }>(
      `update orders set more_requested_at = ${clock}, more_asset_id = ${id('asset')}, updated_at = ${clock}
       where id = :id and account_id = :account and more_requested_at is null returning id`,
    ).first(() => true),
    findFile: statement<OfAccount & { asset: string }>(
      'select id, filename, version from assets where id = :asset and account_id = :account',
    ).first((row: { id: string; filename: string; version: number }) => {
      return { assetId: row.id, filename: row.filename, version: row.version }
    }),
  }
}

export type MailStatements = ReturnType<typeof mailStatementsOf>

/** The buyers among the orders that a notice looks at. */
export function buyersOf(candidates: Candidate[]) {
  return candidates.flatMap(({ orderId, address, locale, isBuyer }) =>
    isBuyer && address !== null ? [{ orderId, address: foldAddress(address), locale }] : [],
  )
}
