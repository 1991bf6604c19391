import { MAX_MAILS_PER_MINUTE } from '@stowage/protocol'
import type { MailQuery } from '../database/mail-data.ts'
import { EngineUnavailable, ServiceError } from '../domain/errors.ts'
import {
  HELD_FOR_MS,
  type Mail,
  type MailKind,
  type MailText,
  type NewMail,
  NO_MAIL_SETTINGS,
  NOTICE_CANCELLED,
  retryPauseMs,
} from '../domain/mail.ts'
import { type Branding, MAX_COVERED_FILES, NO_BRANDING, type Order } from '../domain/order.ts'
import type { PagePosition } from '../domain/paging.ts'
import type { Message, SendResult } from '../mail/mail.ts'
import { type ListedOrder, type MailContent, type Rendered, renderMail } from '../mail/render.ts'
import { type AccountContext, type Context, forAccount, type Mailing } from './context.ts'
import { readPage } from './listing.ts'
import { announceMail, newMailOf, noEmail, requireMail } from './mailing.ts'
import { getOrder, tokenOfOrder } from './orders.ts'
import { unsubscribeUrl } from './subscriptions.ts'

/** At most so many orders are in a mail with the URLs of an address. */
const MAX_LISTED_ORDERS = 50

/** Queues “Your files are ready” once more. */
export async function sendOrder(context: AccountContext, key: string): Promise<Order> {
  const order = await getOrder(context, key)
  requireMail(context)
  if (order.email === null) throw noEmail()
  if (order.status === 'revoked' || order.status === 'expired') throw ended(order.status)
  await queueMail(context, {
    ...newMailOf(context, order.email),
    kind: 'files_ready',
    cause: 'call',
    orderId: order.id,
    locale: order.locale,
  })
  return order
}

function ended(status: 'revoked' | 'expired'): ServiceError {
  return status === 'revoked'
    ? new ServiceError('order_revoked', 'The order was revoked, so no e-mail is sent.')
    : new ServiceError(
        'order_expired',
        'The order has expired. Set a later expires_at with PATCH /orders/:id, then send the e-mail.',
      )
}

async function queueMail(context: AccountContext, mail: NewMail): Promise<Mail> {
  const queued = await context.data.addMail(mail, MAX_MAILS_PER_MINUTE)
  if (queued === 'too_many') {
    throw new ServiceError(
      'too_many_requests',
      `This account has sent ${MAX_MAILS_PER_MINUTE} e-mails by calls within a minute. Retry in a minute.`,
    )
  }
  announceMail(context)
  return queued
}

export async function listMails(
  { data }: AccountContext,
  query: MailQuery,
): Promise<{ mails: Mail[]; position: PagePosition }> {
  const { rows: mails, position } = await readPage(query, data.listMails, ({ id }) => id)
  return { mails, position }
}

async function getMail({ data }: AccountContext, id: string): Promise<Mail> {
  const mail = await data.findMail(id)
  if (mail !== undefined) return mail
  throw new ServiceError('not_found', 'There is no mail with this ID. Mails are kept for 90 days.')
}

/** A mail as it would be sent now; without content if it would not be sent. */
export async function readMail(
  context: AccountContext,
  id: string,
): Promise<{ mail: Mail; content: Preview | null }> {
  const mail = await getMail(context, id)
  const made = await contentOf(context, mail)
  return { mail, content: made.content ? preview(context.mail, made.content) : null }
}

/** A mail, with its sender as text. */
export interface Preview extends Rendered {
  from: string
  replyTo: string | null
}

function preview(mailing: Mailing, content: MailContent): Preview {
  const { name, address } = senderOf(mailing, content.branding)
  const from = name === null ? address : `${name} <${address}>`
  return { from, replyTo: replyToOf(mailing, content), ...renderMail(content) }
}

/** A queued mail is tried at once; of another one, a new mail is queued. */
export async function sendMailAgain(context: AccountContext, id: string): Promise<Mail> {
  const mail = await getMail(context, id)
  requireMail(context)
  if (mail.state === 'sending') {
    throw new ServiceError('mail_running', 'The mail is being sent. Wait for its result.')
  }
  if (mail.state === 'queued' && (await context.data.hastenMail(id))) {
    announceMail(context)
    return getMail(context, id)
  }
  const { kind, orderId, noticeId, assetId, recipient, locale } = mail
  const copy = { kind, orderId, noticeId, assetId, locale, cause: 'call' as const }
  return queueMail(context, { ...newMailOf(context, recipient), ...copy })
}

/** Gives a test mail to the server. Nothing is stored. */
export async function sendTestMail(context: AccountContext, to: string): Promise<SendResult> {
  const { mail, clock } = context
  requireMail(context)
  if (mail.server === undefined) {
    return { outcome: 'postponed', response: NO_SERVER, isUnreachable: true }
  }
  const branding = (await context.data.findBranding()) ?? NO_BRANDING
  const { messageId } = newMailOf(context, to)
  const text = 'This is a test mail of Stowage. The mail server of the service works.\n'
  return mail.server.send({
    from: senderOf(mail, branding),
    to,
    replyTo: null,
    subject: 'Test mail of Stowage',
    text,
    html: `<p>${text.trim()}</p>`,
    messageId,
    date: clock(),
  })
}

const NO_SERVER =
  'No mail server is configured, so the mail was not sent. Set STOWAGE_SMTP_URL and STOWAGE_MAIL_FROM.'

const NOT_MADE = 'The mail could not be made. The log of the service has the reason.'

/** How long a mail waits while its order is held, before it is looked at again. A release ends the wait. */
const HELD_PAUSE_MS = 15 * 60_000

/** `not_asked`: the mail is not sent, or not now. `unreachable`: the server responds to no message. */
export type AttemptOutcome = 'asked' | 'not_asked' | { unreachable: string }

interface AttemptOptions {
  /** The pause if the server cannot be reached. */
  pauseMs: number
  /** Why the server cannot be reached, if that is known: then it is not asked. */
  unreachable?: string
}

/**
 * Sends a claimed mail and records the result. If this instance is killed before the result is recorded, another one sends
 * it again with the same Message-ID.
 */
export async function attemptMail(
  context: Context,
  mail: Mail,
  { pauseMs, unreachable }: AttemptOptions,
): Promise<AttemptOutcome> {
  const { database, mail: mailing } = context
  let message: Message
  try {
    const made = await contentOf(forAccount(context, mail.accountId), mail)
    const { content, reason, isWaiting } = made
    if (content === undefined) {
      const now = await database.readClock()
      const isOver = now.getTime() - mail.createdAt.getTime() > HELD_FOR_MS
      await database.recordMail(
        mail,
        isWaiting && !isOver
          ? { state: 'queued', reason, afterMs: HELD_PAUSE_MS, isAttempt: false, isHeld: true }
          : { state: 'cancelled', reason },
      )
      return 'not_asked'
    }
    message = messageOf(context, mail, content)
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    await postpone(context, mail, { reason: NOT_MADE, afterMs: retryPauseMs(mail.attempts) })
    throw error
  }
  if (mailing.server === undefined) {
    await database.recordMail(mail, { state: 'cancelled', reason: NO_SERVER })
    return 'not_asked'
  }
  const result: SendResult =
    unreachable === undefined
      ? await mailing.server.send(message)
      : { outcome: 'postponed', response: unreachable, isUnreachable: true }
  if (result.outcome === 'accepted') {
    await database.recordMail(mail, { state: 'sent', reason: null })
    return 'asked'
  }
  const { response } = result
  if (result.outcome === 'refused') {
    await database.recordMail(mail, { state: 'failed', reason: response })
    return 'asked'
  }
  const { isUnreachable } = result
  const afterMs = isUnreachable ? pauseMs : retryPauseMs(mail.attempts)
  await postpone(context, mail, { reason: response, afterMs, isAttempt: !isUnreachable })
  return isUnreachable ? { unreachable: response } : 'asked'
}

/** Queues a mail for another attempt, or ends it if that would be too late. */
async function postpone(
  { database }: Context,
  mail: Mail,
  { reason, afterMs, isAttempt = true }: { reason: string; afterMs: number; isAttempt?: boolean },
): Promise<void> {
  const now = await database.readClock()
  const isLast = now.getTime() + afterMs > mail.retryUntil.getTime()
  await database.recordMail(
    mail,
    isLast ? { state: 'failed', reason } : { state: 'queued', reason, afterMs, isAttempt },
  )
}

function messageOf({ mail: mailing, clock }: Context, mail: Mail, content: MailContent): Message {
  return {
    ...renderMail(content),
    from: senderOf(mailing, content.branding),
    to: mail.recipient,
    replyTo: replyToOf(mailing, content),
    messageId: mail.messageId,
    date: clock(),
    unsubscribeUrl: content.unsubscribeUrl,
  }
}

function senderOf({ from }: Mailing, branding: Branding) {
  return { name: branding.name ?? from.name, address: from.address }
}

function replyToOf({ replyTo }: Mailing, { settings, branding }: MailContent): string | null {
  return settings.replyTo ?? branding.helpEmail ?? replyTo
}

type Made =
  | { content: MailContent; reason?: undefined; isWaiting?: undefined }
  /** Why it is not sent; `isWaiting`: not now. */
  | { content?: undefined; reason: string; isWaiting: boolean }

function never(reason: string): Made {
  return { reason, isWaiting: false }
}

/** What a mail says now. */
async function contentOf(context: AccountContext, mail: Mail): Promise<Made> {
  const base = { ...(await frameOf(context)), kind: mail.kind, locale: mail.locale }
  if (mail.kind === 'links') {
    const orders = await listOrdersOf(context, mail.recipient)
    return orders.length === 0
      ? never('There are no orders with this address.')
      : { content: { ...base, values: { orders } } }
  }
  const { orderId } = mail
  const order =
    orderId === null ? undefined : await context.data.findOrder({ id: orderId, reference: orderId })
  if (order === undefined) return never('There is no such order.')
  if (order.status === 'revoked') return never('The order was revoked.')
  if (order.status === 'expired') return never('The order has expired.')
  if (order.status === 'held') {
    return { reason: 'The order is held. The mail is sent when it is released.', isWaiting: true }
  }
  const url = pageUrl(context, order)
  if (url === undefined) {
    return never('The URL of the order cannot be shown, because the secret key was replaced.')
  }
  const locale = order.locale ?? mail.locale
  if (mail.kind === 'files_ready') {
    return { content: { ...base, locale, values: await orderValues(context, order, url) } }
  }
  const asset = mail.assetId === null ? undefined : await context.data.findAsset(mail.assetId)
  if (asset === undefined || asset.status !== 'ready') return never('The file was deleted.')
  const notice = mail.noticeId === null ? undefined : await context.data.findNotice(mail.noticeId)
  if (notice !== undefined && notice.version !== asset.version) {
    // The shop decided to tell of that version, and not of this one.
    return never(`The notice is about version ${notice.version}, which has been replaced.`)
  }
  if (notice?.state === 'cancelled' && mail.cause === 'notice') return never(NOTICE_CANCELLED)
  if (await context.data.isUnsubscribed(mail.recipient)) {
    return never('The buyer wants no more news.')
  }
  const values = {
    name: order.name,
    orderNumber: order.number,
    url,
    filename: asset.filename,
    version: asset.version,
  }
  const { recipient } = mail
  return {
    content: { ...base, locale, values, unsubscribeUrl: unsubscribeUrl(context, recipient) },
  }
}

async function frameOf({ data }: AccountContext) {
  const branding = (await data.findBranding()) ?? NO_BRANDING
  const settings = (await data.findMailSettings()) ?? NO_MAIL_SETTINGS
  return { branding, settings }
}

function pageUrl(context: AccountContext, order: Order): string | undefined {
  const token = tokenOfOrder(context, order)
  return token === undefined ? undefined : `${context.mail.baseUrl()}/d/${token}`
}

async function orderValues({ data }: AccountContext, order: Order, url: string) {
  const covered = await data.listCoveredFiles(order.id, MAX_COVERED_FILES)
  return {
    name: order.name,
    orderNumber: order.number,
    url,
    files: covered.map(({ asset }) => asset.filename),
    fileCount: covered.length,
    expiresAt: order.expiresAt,
  }
}

async function listOrdersOf(context: AccountContext, address: string): Promise<ListedOrder[]> {
  const orders = await context.data.listOrdersOfAddress(address, MAX_LISTED_ORDERS)
  return orders.map((order) => {
    const { number, orderedAt, status } = order
    return { number, orderedAt, status, url: pageUrl(context, order) }
  })
}

export interface PreviewRequest {
  kind: MailKind
  language: string
  own: Partial<MailText>
  orderId?: string | undefined
  assetId?: string | undefined
}

/** A mail with the data of an order, or with made-up data if there is none. */
export async function previewMail(
  context: AccountContext,
  { kind, language, own, orderId, assetId }: PreviewRequest,
): Promise<Preview> {
  const order = orderId === undefined ? await findNewest(context) : await getOrder(context, orderId)
  const url = (order && pageUrl(context, order)) ?? `${context.mail.baseUrl()}/d/…`
  const recipient = order?.email ?? 'ada@example.com'
  const base = { ...(await frameOf(context)), kind, locale: language, own }
  if (kind === 'links') {
    const found = order?.email ? await listOrdersOf(context, order.email) : []
    const made = { number: '#1001', orderedAt: context.clock(), status: 'active' as const, url }
    return preview(context.mail, { ...base, values: { orders: found.length > 0 ? found : [made] } })
  }
  const values = order
    ? await orderValues(context, order, url)
    : { name: 'Ada', orderNumber: '#1001', url, files: ['song.wav'], fileCount: 1 }
  if (kind === 'files_ready') return preview(context.mail, { ...base, values })
  const asset = assetId === undefined ? undefined : await context.data.findAsset(assetId)
  const news = {
    ...values,
    filename: asset?.filename ?? values.files[0] ?? 'song.wav',
    version: asset?.version ?? 2,
  }
  const leave = unsubscribeUrl(context, recipient)
  return preview(context.mail, { ...base, values: news, unsubscribeUrl: leave })
}

async function findNewest({ data }: AccountContext): Promise<Order | undefined> {
  const sort = { by: 'created_at' as const, descending: true }
  const { rows } = await data.listOrders({ page: 1, perPage: 25, sort })
  return rows.find(({ email }) => email !== null)
}
