import { jobActor } from '../../domain/event.ts'
import {
  foldAddress,
  type Mail,
  type MailResult,
  type NewMail,
  RETRY_FOR_MS,
  toEventMail,
} from '../../domain/mail.ts'
import type { AllMails, NoticeRecord } from '../mail-data.ts'
import type { Values } from './dialect.ts'
import { storeActor } from './events.ts'
import { buyersOf, type MailStatements, toMailColumns } from './mail-statements.ts'
import type { OrderStatements } from './order-statements.ts'
import { record, run, type SharedWork } from './steps.ts'
import type { Engine, Writer } from './wire-account-data.ts'

const retry_for = RETRY_FOR_MS

/** The changes of the job. Each is one transaction. */
function mailWork({ mails, orders }: { mails: MailStatements; orders: OrderStatements }) {
  return {
    /** Locks the order before the mail, as changes of orders do. */
    *record(mail: Mail, result: MailResult): SharedWork<boolean> {
      const { id, accountId: account, attempts, orderId } = mail
      const isSent = result.state === 'sent'
      if (isSent && orderId !== null) yield* run(orders.lockOrder, { account, id: orderId })
      const isQueued = result.state === 'queued'
      const recorded = yield* run(mails.recordMail, {
        id,
        attempts,
        given_back: isQueued && !result.isAttempt ? 1 : 0,
        state: result.state,
        reason: result.reason,
        after: isQueued ? result.afterMs : 0,
        sent: isSent,
      })
      if (recorded === undefined) return false
      if (isSent && orderId !== null && mail.kind === 'files_ready') {
        yield* run(mails.noteSent, { order: orderId })
      }
      if (isSent) yield* record('mail.sent', toEventMail(recorded))
      else if (result.state === 'failed') yield* record('mail.failed', toEventMail(recorded))
      return true
    },

    *answer(
      address: string,
      answers: (NewMail & { accountId: string })[],
      quiet: number,
    ): SharedWork<void> {
      if ((yield* run(mails.removeLinkRequest, { address })) === undefined) return
      for (const { accountId, ...mail } of answers) {
        yield* run(mails.insertLinksMail, { ...toMailColumns(accountId, mail), retry_for, quiet })
      }
    },

    *step(
      notice: NoticeRecord,
      { perStep, ordersPerStep, pauseMs, toMail }: Parameters<AllMails['continueNotices']>[0],
    ): SharedWork<number> {
      const { id, accountId: account, assetId: asset, ordersBefore: before } = notice
      const step = { id, pause: pauseMs, most: 2 * perStep }
      const locked = yield* run(mails.beginStep, step)
      if (locked === undefined) return 0
      const range = { before, after: locked.lastOrder, limit: ordersPerStep }
      const candidates = yield* run(mails.candidates, { account, asset, ...range })
      let added = 0
      let looked = 0
      let last = locked.lastOrder
      for (const candidate of candidates) {
        if (added === perStep) break
        looked += 1
        last = candidate.orderId
        for (const { orderId, address, locale } of buyersOf([candidate])) {
          const mail: NewMail = {
            ...toMail({ address }),
            kind: 'new_version',
            cause: 'notice',
            noticeId: id,
            assetId: asset,
            recipient: address,
            orderId,
            locale,
          }
          const values = { ...toMailColumns(account, mail), retry_for, address }
          if ((yield* run(mails.insertNews, values)) !== undefined) added += 1
        }
      }
      const done = looked === candidates.length && candidates.length < ordersPerStep
      yield* run(mails.endStep, { id, last, added, done })
      return added
    },
  }
}

/** The mails of all accounts: the same in both engines. */
export function wireAllMails<Unit>(engine: Engine<Unit>): AllMails {
  const { statements } = engine
  const { mails } = statements
  const work = mailWork(statements)
  const read = engine.runner({ kind: 'read', party: 'mails' })
  const write = engine.runner({ kind: 'write', party: 'mails' })
  const free = engine.runner({ kind: 'free', party: 'mails' })
  /** Somebody without a key asks: these wait separately from the job. */
  const writeRequest = engine.runner({ kind: 'write', party: 'link requests' })
  const actor = storeActor(jobActor('mail'))

  const ask = <Given extends Values, Result>(
    one: Parameters<typeof engine.execute<Given, Result>>[1],
    values: Given,
    runUnit = read,
  ): Promise<Result> => runUnit((unit) => engine.execute(unit, one, values))
  const transact = <Result>(account: string, steps: () => SharedWork<Result>): Promise<Result> => {
    const writer: Writer = { account, actor }
    return write((unit) => engine.transact(unit, writer, steps()))
  }

  return {
    async claimMails({ leaseMs: lease, limit }) {
      const claimed = await ask(mails.claimMails, { lease, limit }, write)
      return claimed.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
    recordMail: (mail, result) => transact(mail.accountId, () => work.record(mail, result)),
    nextMailIn: () => ask(mails.nextMail, {}),
    readMailBacklog: async () =>
      (await ask(mails.readMailBacklog, {})) ?? { waiting: 0, dueAt: null },
    forgetMails: async (kept_for, limit) =>
      (await ask(mails.forgetMails, { kept_for, limit }, free)).length,

    addLinkRequest: ({ address, locale }, most) =>
      ask(mails.addLinkRequest, { address: foldAddress(address), locale, most }, writeRequest),
    listLinkRequests: (limit) => ask(mails.listLinkRequests, { limit }),
    answerLinkRequest: (address, answers, quietMs) =>
      transact('', () => work.answer(address, answers, quietMs)),
    listAccountsOfAddress: (address, limit) => ask(mails.accountsOfAddress, { address, limit }),

    async continueNotices(options) {
      let added = 0
      for (const notice of await ask(mails.dueNotices, { limit: options.limit })) {
        added += await transact(notice.accountId, () => work.step(notice, options))
      }
      return added
    },

    listMailRecords: (account, after, limit) =>
      ask(mails.listMailRecords, { account, after: after ?? null, limit }),
    listNoticeRecords: (account) => ask(mails.listNoticeRecords, { account }),
    listUnsubscribed: (account, after, limit) =>
      ask(mails.listUnsubscribed, { account, after: after ?? '', limit }),
  }
}
