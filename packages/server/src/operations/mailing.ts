import { ServiceError } from '../domain/errors.ts'
import type { NewMail } from '../domain/mail.ts'
import type { Context } from './context.ts'

/** After a failure of one request or notice, so that it does not delay the others. */
export const PAUSE_AFTER_FAILURE_MS = 60_000

/** Throws if calls that send mail are refused. */
export function requireMail({ mail }: Pick<Context, 'mail'>): void {
  if (mail.mode !== 'off') return
  throw new ServiceError(
    'mail_not_configured',
    'The service has no mail server. Set STOWAGE_SMTP_URL and STOWAGE_MAIL_FROM, or send the URL of the order yourself.',
  )
}

/** A mail to an address, with an ID of its own. */
export function newMailOf(
  { newId, mail }: Pick<Context, 'newId' | 'mail'>,
  recipient: string,
): Omit<NewMail, 'kind' | 'cause'> {
  const id = newId()
  const domain = mail.from.address.split('@').at(-1)
  const nothing = { orderId: null, noticeId: null, assetId: null, locale: null }
  return { ...nothing, id, recipient, messageId: `<${id}@${domain}>` }
}

/** Wakes the job of this instance. */
export function announceMail({ mail }: Pick<Context, 'mail'>): void {
  mail.queue.dispatchEvent(new Event('due'))
}

export function noEmail(): ServiceError {
  return new ServiceError(
    'no_email',
    'The order has no e-mail address. Set email with PATCH /orders/:id.',
  )
}
