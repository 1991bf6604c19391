import { jobActor } from '../../domain/event.ts'
import {
  foldAddress,
  type Mail,
  type MailResult,
  type NewMail,
  NOTICE_CANCELLED,
  RETRY_FOR_MS,
  toEventMail,
} from '../../domain/mail.ts'
import type { AllMails, MailClaim, NoticeRecord } from '../mail-data.ts'
import type { Values } from './dialect.ts'
import { storeActor } from './events.ts'
import type { MailQueueStatements } from './mail-queue.ts'
import { toMailColumns } from './mail-rows.ts'
import { buyersOf, type MailStatements } from './mail-statements.ts'
import type { OrderStatements } from './order-statements.ts'
import { record, run, type SharedWork } from './steps.ts'
import type { Engine, Writer } from './wire-account-data.ts'

const retry_for = RETRY_FOR_MS

/** The changes of the job. Each is one transaction. */
function mailWork({
  mails,
  mailQueue: queue,
  orders,
}: {
  mails: MailStatements
  mailQueue: MailQueueStatements
  orders: OrderStatements
}) {
  return {
    *claim({
      leaseMs: lease,
      limit: most,
      newsLimit,
      perAccount,
      running,
    }: MailClaim): SharedWork<Mail[]> {
      const claimed: Mail[] = []
      const free = (account: string) => perAccount - (running.get(account) ?? 0)
      const full = [...running.keys()].filter((account) => free(account) <= 0)
      const accounts = yield* run(queue.dueAccounts, { full, limit: most })
      for (const [index, account] of accounts.entries()) {
        const share = shareOf(most - claimed.length, accounts.length - index)
        const limit = Math.min(share, free(account))
        claimed.push(...(yield* run(queue.claimOfAccount, { account, lease, limit })))
      }
      const news = Math.min(newsLimit, most - claimed.length)
      if (news <= 0) return claimed
      const notices = yield* run(queue.dueNews, { limit: news })
      let rest = news
      for (const [index, notice] of notices.entries()) {
        const limit = shareOf(rest, notices.length - index)
        const mailsOfNotice = yield* run(queue.claimOfNotice, { notice, lease, limit })
        claimed.push(...mailsOfNotice)
        rest -= mailsOfNotice.length
      }
      return claimed
    },

    /** Locks the order or the notice before the mail, as their changes do. */
    *record(mail: Mail, result: MailResult): SharedWork<boolean> {
      const { id, accountId: account, attempts, orderId, noticeId } = mail
      const isSent = result.state === 'sent'
      const isQueued = result.state === 'queued'
      const isHeld = isQueued && result.isHeld === true
      const isStopped = result.state === 'cancelled' && result.reason === NOTICE_CANCELLED
      if ((isSent || isHeld) && orderId !== null) {
        yield* run(orders.lockOrder, { account, id: orderId })
      }
      if (isStopped && noticeId !== null) yield* run(mails.lockNotice, { id: noticeId })
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
      // The release, the revocation or the start did not find this mail, because it was being sent.
      if (isHeld) yield* run(mails.hastenIfReleased, { id, retry_for })
      if (isStopped) yield* run(mails.requeueIfStarted, { id, retry_for })
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
      if ((yield* run(queue.removeLinkRequest, { address })) === undefined) return
      for (const { accountId, ...mail } of answers) {
        yield* run(mails.insertLinksMail, { ...toMailColumns(accountId, mail), retry_for, quiet })
      }
    },

    *postpone(address: string, pause: number, kept_for: number): SharedWork<void> {
      yield* run(queue.removeOldLinkRequest, { address, kept_for })
      yield* run(queue.postponeLinkRequest, { address, pause })
    },

    *step(
      notice: NoticeRecord,
      { perStep, ordersPerStep, pauseMs, toMail }: Parameters<AllMails['continueNotice']>[1],
    ): SharedWork<number> {
      const { id, accountId: account, assetId: asset, ordersBefore: before } = notice
      const locked = yield* run(mails.beginStep, { id, pause: pauseMs })
      if (locked === undefined) return 0
      const most = 2 * perStep
      if (((yield* run(mails.countPending, { id, most })) ?? 0) >= most) return 0
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

/** A share of `count` for the first one of `parties`. */
function shareOf(count: number, parties: number): number {
  return Math.ceil(count / parties)
}

/** The mails of all accounts: the same in both engines. */
export function wireAllMails<Unit>(engine: Engine<Unit>): AllMails {
  const { statements } = engine
  const { mails, mailQueue: queue } = statements
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
    async claimMails(claim) {
      const claimed = await transact('', () => work.claim(claim))
      return claimed.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
    claimOverdueMails: (leaseMs, limit) =>
      ask(queue.claimOverdue, { lease: leaseMs, limit }, write),
    recordMail: (mail, result) => transact(mail.accountId, () => work.record(mail, result)),
    nextMailIn: () => ask(queue.nextMail, {}),
    forgetMails: async (kept_for, limit) =>
      (await ask(queue.forgetMails, { kept_for, limit }, free)).length,

    addLinkRequest: ({ address, locale }, most) =>
      ask(queue.addLinkRequest, { address: foldAddress(address), locale, most }, writeRequest),
    listLinkRequests: (limit) => ask(queue.listLinkRequests, { limit }),
    answerLinkRequest: (address, answers, quietMs) =>
      transact('', () => work.answer(address, answers, quietMs)),
    postponeLinkRequest: (address, pauseMs, keptForMs) =>
      transact('', () => work.postpone(address, pauseMs, keptForMs)),
    listAccountsOfAddress: (address, limit) => ask(mails.accountsOfAddress, { address, limit }),

    listDueNotices: (limit) => ask(mails.dueNotices, { limit }),
    continueNotice: (notice, step) => transact(notice.accountId, () => work.step(notice, step)),
    postponeNotice: (id, pause) => ask(mails.postponeNotice, { id, pause }, write),

    listMailRecords: (account, after, limit) =>
      ask(mails.listMailRecords, { account, after: after ?? null, limit }),
    listNoticeRecords: (account) => ask(mails.listNoticeRecords, { account }),
    listUnsubscribed: (account, after, limit) =>
      ask(mails.listUnsubscribed, { account, after: after ?? '', limit }),
  }
}
