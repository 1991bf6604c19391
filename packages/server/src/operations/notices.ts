import { createHash } from 'node:crypto'
import { ServiceError } from '../domain/errors.ts'
import type { Notice, NoticeState } from '../domain/mail.ts'
import { languageOf } from '../mail/texts.ts'
import { getAsset } from './assets.ts'
import type { AccountContext, Context } from './context.ts'
import { announceMail, newMailOf, PAUSE_AFTER_FAILURE_MS, requireMail } from './mailing.ts'
import { type Preview, previewMail } from './mails.ts'

/** How many orders a statement looks at. */
const ORDERS_PER_STEP = 1000
const NOTICES_PER_RUN = 20
/** How often a notice queues mails. */
const STEP_MS = 5_000
const MINUTE_MS = 60_000

export interface Notification {
  version: number
  recipients: number
  unsubscribed: number
  notice: Notice | undefined
  preview: Preview
}

/** Tells the past buyers of a file of its current version, unless it is only a trial. A version has one notice. */
export async function notifyBuyers(
  context: AccountContext,
  assetId: string,
  { isTrial }: { isTrial: boolean },
): Promise<Notification> {
  const { data, newId } = context
  const asset = await getAsset(context, assetId)
  requireMail(context)
  const versions = await data.listVersions(assetId)
  const current = versions?.find(({ isCurrent }) => isCurrent)
  const before = current?.createdAt ?? asset.createdAt
  const { version } = asset
  const counted = await countRecipients(context, assetId, before)
  const notices = await data.listNotices(assetId)
  const known = notices.find((one) => one.version === version)
  const notice = isTrial
    ? known
    : await data.addNotice({
        id: newId(),
        assetId,
        version,
        ordersBefore: before,
        recipients: counted.recipients,
      })
  if (!isTrial) announceMail(context)
  const preview = await previewMail(context, {
    kind: 'new_version',
    language: languageOf(counted.first?.locale ?? null),
    own: {},
    orderId: counted.first?.orderId,
    assetId,
  })
  const { recipients, unsubscribed } = counted
  return { version, recipients, unsubscribed, notice, preview }
}

async function countRecipients({ data }: AccountContext, assetId: string, before: Date) {
  const told = openDistinctCount()
  const others = openDistinctCount()
  let first: { orderId: string; locale: string | null } | undefined
  for (let after: string | undefined; ; ) {
    const query = { assetId, before, after, limit: ORDERS_PER_STEP }
    const { recipients, next } = await data.listNoticeRecipients(query)
    for (const { orderId, address, locale, isUnsubscribed } of recipients) {
      if (isUnsubscribed) others.add(address)
      else {
        told.add(address)
        first ??= { orderId, locale }
      }
    }
    if (next === undefined) return { recipients: told.count(), unsubscribed: others.count(), first }
    after = next
  }
}

const MAX_COUNTED = 100_000
const HASH_BYTES = 6

/**
 * Counts different texts without holding them: up to `most` exactly, and above it within a percent, because it then keeps only
 * the smallest of their hashes.
 */
export function openDistinctCount(most = MAX_COUNTED) {
  const hashes = new Set<number>()
  let share = 1
  const limit = () => share * 256 ** HASH_BYTES
  return {
    add(text: string): void {
      const hash = createHash('sha256').update(text).digest().readUIntBE(0, HASH_BYTES)
      if (hash >= limit()) return
      hashes.add(hash)
      if (hashes.size <= most) return
      share /= 2
      for (const one of hashes) if (one >= limit()) hashes.delete(one)
    },
    count: () => Math.round(hashes.size / share),
  }
}

export async function listNotices(context: AccountContext, assetId: string): Promise<Notice[]> {
  await getAsset(context, assetId)
  return context.data.listNotices(assetId)
}

/** Pauses, resumes or cancels. Repeating it has no effect. */
export async function changeNotice(
  context: AccountContext,
  id: string,
  state: Exclude<NoticeState, 'done'>,
): Promise<Notice> {
  const notice = await context.data.changeNotice(id, state)
  if (notice === undefined) {
    throw new ServiceError('not_found', 'There is no notice with this ID. Check the ID.')
  }
  if (notice.state !== state) {
    const text = notice.state === 'done' ? 'All of its mails are queued.' : 'It was cancelled.'
    throw new ServiceError('notice_ended', `The notice has ended. ${text}`)
  }
  announceMail(context)
  return notice
}

/**
 * Queues the next mails of each notice, at the rate of the settings. A notice that fails pauses, and the others go on.
 */
export async function continueNotices(
  context: Context,
  onFailure: (text: string, error: unknown) => void,
): Promise<void> {
  const { database, mail } = context
  const perStep = Math.max(1, Math.round((mail.noticesPerMinute * STEP_MS) / MINUTE_MS))
  const step = {
    perStep,
    ordersPerStep: Math.max(ORDERS_PER_STEP, perStep),
    pauseMs: Math.round((perStep * MINUTE_MS) / mail.noticesPerMinute),
    toMail: ({ address }: { address: string }) => newMailOf(context, address),
  }
  for (const notice of await database.listDueNotices(NOTICES_PER_RUN)) {
    try {
      await database.continueNotice(notice, step)
    } catch (error) {
      onFailure(`could not continue the notice ${notice.id}; retrying later`, error)
      await database.postponeNotice(notice.id, PAUSE_AFTER_FAILURE_MS)
    }
  }
}
