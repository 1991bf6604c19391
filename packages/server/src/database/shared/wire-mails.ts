import {
  foldAddress,
  type Mail,
  type MailSettings,
  NO_MAIL_SETTINGS,
  NOTICE_CANCELLED,
  type Notice,
  RETRY_FOR_MS,
} from '../../domain/mail.ts'
import type { MailData, NewNotice, NoticeRecord } from '../mail-data.ts'
import { toMailColumns } from './mail-rows.ts'
import { buyersOf } from './mail-statements.ts'
import type { Statements } from './statements.ts'
import { run, type SharedWork } from './steps.ts'
import type { Runners } from './wire-orders.ts'

const MINUTE_MS = 60_000
const retry_for = RETRY_FOR_MS

/** The mails of an account: the same in both engines. */
export function wireMails(
  { mails: statements }: Statements,
  account: string,
  { ask, write, free }: Runners,
): Omit<MailData, 'requestMore'> {
  return {
    addMail: (mail, most) =>
      write(function* (): SharedWork<Mail | 'too_many'> {
        yield* run(statements.lockAccount, { account })
        const called = yield* run(statements.countCalled, { account, within: MINUTE_MS })
        if (mail.cause === 'call' && (called ?? 0) >= most) return 'too_many'
        const values = { ...toMailColumns(account, mail), retry_for }
        const added = yield* run(statements.insertMail, values)
        if (added === undefined) throw new Error(`the mail ${mail.id} was not stored`)
        return added
      }),
    findMail: (id) => ask(statements.findMail, { account, id }),
    async listMails({ page, perPage, after, state, kind, orderId, noticeId }) {
      const filter = {
        account,
        state: state ?? null,
        kind: kind ?? null,
        order: orderId ?? null,
        notice: noticeId ?? null,
      }
      const total = (await ask(statements.countMails, filter)) ?? 0
      const offset = after === undefined ? Math.min((page - 1) * perPage, total) : 0
      const limit = after === undefined ? Math.min(perPage, total - offset) : perPage
      const range = { after: after?.id ?? null, limit, offset }
      return { rows: await ask(statements.listMails, { ...filter, ...range }), total }
    },
    hastenMail: async (id) =>
      (await write(() => run(statements.hastenMail, { account, id, retry_for }))) ?? false,

    findMailSettings: () => ask(statements.findMailSettings, { account }),
    changeMailSettings: (change) =>
      write(function* (): SharedWork<MailSettings> {
        yield* run(statements.lockAccount, { account })
        const before = yield* run(statements.findMailSettings, { account })
        const settings = change(before ?? NO_MAIL_SETTINGS)
        yield* run(statements.putMailSettings, settingsColumns(account, settings))
        return settings
      }),

    unsubscribe: (address) =>
      free(() => run(statements.unsubscribe, { account, address: foldAddress(address) })),
    subscribe: (address) =>
      free(() => run(statements.subscribe, { account, address: foldAddress(address) })),
    isUnsubscribed: async (address) =>
      (await ask(statements.isUnsubscribed, { account, address: foldAddress(address) })) ?? false,
    listOrdersOfAddress: (address, limit) =>
      ask(statements.ordersOfAddress, { account, address, limit }),

    addNotice: ({ id, assetId: asset, version, ordersBefore: before, recipients }: NewNotice) =>
      write(function* (): SharedWork<Notice> {
        const which = { account, asset, version }
        yield* run(statements.insertNotice, { ...which, id, before, recipients })
        const restarted = yield* run(statements.restartNotice, { ...which, recipients })
        if (restarted !== undefined) {
          const mails = { id: restarted, reason: NOTICE_CANCELLED, retry_for }
          yield* run(statements.requeueMailsOfNotice, mails)
        }
        const notice = yield* run(statements.findNoticeOfVersion, which)
        if (notice === undefined) throw new Error(`the notice ${id} was not stored`)
        return toNotice(notice)
      }),
    async findNotice(id) {
      const found = await ask(statements.findNotice, { account, id })
      return found && toNotice(found)
    },
    listNotices: async (asset) =>
      (await ask(statements.listNotices, { account, asset })).map(toNotice),
    changeNotice: (id, state) =>
      free(function* (): SharedWork<Notice | undefined> {
        const changed = yield* run(statements.changeNotice, { account, id, state })
        if (changed && state === 'cancelled') {
          yield* run(statements.cancelMailsOfNotice, { id, reason: NOTICE_CANCELLED })
        }
        if (changed && state === 'sending') {
          yield* run(statements.resumeMailsOfNotice, { id, retry_for })
        }
        const found = yield* run(statements.findNotice, { account, id })
        return found && toNotice(found)
      }),
    async listNoticeRecipients({ assetId: asset, before, after, limit }) {
      const values = { account, asset, before, after: after ?? null, limit }
      const candidates = await ask(statements.candidates, values)
      const next = candidates.length < limit ? undefined : candidates.at(-1)?.orderId
      const buyers = buyersOf(candidates)
      const addresses = buyers.map(({ address }) => address)
      const unsubscribed = new Set(
        buyers.length === 0
          ? []
          : await ask(statements.listUnsubscribedAmong, { account, addresses }),
      )
      const recipients = buyers.map((buyer) => ({
        ...buyer,
        isUnsubscribed: unsubscribed.has(buyer.address),
      }))
      return { recipients, next }
    },
    importMails: ({ mails = [], notices = [], settings, unsubscribed = [] }) =>
      write(function* (): SharedWork<void> {
        for (const notice of notices) {
          yield* run(statements.importNotice, noticeColumns(account, notice))
        }
        for (const mail of mails) yield* run(statements.importMail, recordColumns(account, mail))
        if (settings !== undefined) {
          yield* run(statements.putMailSettings, settingsColumns(account, settings))
        }
        for (const address of unsubscribed) yield* run(statements.unsubscribe, { account, address })
      }),
  }
}

function toNotice({ ordersBefore, lastOrder, ...notice }: NoticeRecord): Notice {
  return notice
}

function settingsColumns(account: string, { replyTo: reply_to, texts }: MailSettings) {
  return { account, reply_to, texts: JSON.stringify(texts) }
}

function noticeColumns(account: string, notice: NoticeRecord) {
  const { id, assetId: asset, version, state, ordersBefore: before, lastOrder: last } = notice
  const { recipients, queued, createdAt: created_at, updatedAt: updated_at } = notice
  const own = { id, account, asset, version, state, before, last }
  return { ...own, recipients, queued, created_at, updated_at }
}

function recordColumns(account: string, mail: Mail) {
  return {
    ...toMailColumns(account, mail),
    state: mail.state,
    attempts: mail.attempts,
    due_at: mail.dueAt,
    retry_until: mail.retryUntil,
    reason: mail.reason,
    created_at: mail.createdAt,
    sent_at: mail.sentAt,
  }
}
