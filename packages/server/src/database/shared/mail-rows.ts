import type { Mail, NewMail } from '../../domain/mail.ts'
import type { NoticeRecord } from '../mail-data.ts'
import { type Time, toDate, toDateOrNull } from './rows.ts'

interface MailRow {
  id: string
  account_id: string
  kind: Mail['kind']
  cause: Mail['cause']
  order_id: string | null
  notice_id: string | null
  asset_id: string | null
  recipient: string
  locale: string | null
  message_id: string
  state: Mail['state']
  attempts: number
  due_at: Time
  retry_until: Time
  reason: string | null
  created_at: Time
  sent_at: Time | null
}

export function toMail(row: MailRow): Mail {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    cause: row.cause,
    orderId: row.order_id,
    noticeId: row.notice_id,
    assetId: row.asset_id,
    recipient: row.recipient,
    locale: row.locale,
    messageId: row.message_id,
    state: row.state,
    attempts: row.attempts,
    dueAt: toDate(row.due_at),
    retryUntil: toDate(row.retry_until),
    reason: row.reason,
    createdAt: toDate(row.created_at),
    sentAt: toDateOrNull(row.sent_at),
  }
}

export const MAIL_COLUMNS = `id, account_id, kind, cause, order_id, notice_id, asset_id, recipient, locale, message_id, state,
  attempts, due_at, retry_until, reason, created_at, sent_at`

/** The columns of a mail that the caller of `addMail` chooses. */
export function toMailColumns(account: string, mail: NewMail) {
  return {
    id: mail.id,
    account,
    kind: mail.kind,
    cause: mail.cause,
    order: mail.orderId,
    notice: mail.noticeId,
    asset: mail.assetId,
    recipient: mail.recipient,
    locale: mail.locale,
    message_id: mail.messageId,
  }
}

export type MailColumns = ReturnType<typeof toMailColumns>

interface NoticeRow {
  id: string
  account_id: string
  asset_id: string
  version: number
  state: NoticeRecord['state']
  orders_before: Time
  last_order: string | null
  recipients: number
  queued: number
  created_at: Time
  updated_at: Time
}

export function toNotice(row: NoticeRow): NoticeRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    assetId: row.asset_id,
    version: row.version,
    state: row.state,
    ordersBefore: toDate(row.orders_before),
    lastOrder: row.last_order,
    recipients: row.recipients,
    queued: row.queued,
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
  }
}

export const NOTICE_COLUMNS =
  'id, account_id, asset_id, version, state, orders_before, last_order, recipients, queued, created_at, updated_at'
