import type * as wire from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import type { EventMail, Mail, Notice } from '../domain/mail.ts'

export function presentEventMail(mail: EventMail): wire.EventMail {
  return {
    id: mail.id,
    kind: mail.kind,
    cause: mail.cause,
    state: mail.state,
    recipient: mail.recipient,
    order_id: mail.orderId,
    notice_id: mail.noticeId,
    asset_id: mail.assetId,
    locale: mail.locale,
    message_id: mail.messageId,
    attempts: mail.attempts,
    reason: mail.reason,
    created_at: formatTimestamp(mail.createdAt),
    sent_at: mail.sentAt && formatTimestamp(mail.sentAt),
  }
}

export function presentMail(mail: Mail): wire.Mail {
  return {
    ...presentEventMail(mail),
    next_attempt_at: mail.state === 'queued' ? formatTimestamp(mail.dueAt) : null,
  }
}

export function presentNotice(notice: Notice): wire.Notice {
  const { id, assetId, version, state, recipients, queued, createdAt, updatedAt } = notice
  return {
    id,
    asset_id: assetId,
    version,
    state,
    recipients,
    queued,
    created_at: formatTimestamp(createdAt),
    updated_at: formatTimestamp(updatedAt),
  }
}
