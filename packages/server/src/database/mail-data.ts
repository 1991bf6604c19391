import type {
  Mail,
  MailKind,
  MailResult,
  MailSettings,
  MailState,
  NewMail,
  Notice,
  NoticeState,
} from '../domain/mail.ts'
import type { Order } from '../domain/order.ts'
import type { Cursor, PageRequest } from '../domain/paging.ts'

export interface MailQuery extends PageRequest {
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Cursor
  state?: MailState
  kind?: MailKind
  orderId?: string
  noticeId?: string
}

/** A list counts at most so many mails. */
export const MAX_LISTED_MAILS = 10_000

export interface NewNotice {
  id: string
  assetId: string
  version: number
  /** Orders that were created later are not told. */
  ordersBefore: Date
  recipients: number
}

/** Buyers of a file among the next orders. */
export interface NoticeRecipients {
  recipients: { orderId: string; address: string; locale: string | null; isUnsubscribed: boolean }[]
  /** The last order that was looked at; undefined if there are no more. */
  next: string | undefined
}

/** The mails of one account. */
export interface MailData {
  /**
   * Queues a mail. `too_many`: the account has queued `most` mails by calls within a minute. Concurrent calls never exceed
   * it.
   */
  addMail(mail: NewMail, most: number): Promise<Mail | 'too_many'>
  findMail(id: string): Promise<Mail | undefined>
  /** Newest first. */
  listMails(query: MailQuery): Promise<{ rows: Mail[]; total: number }>
  /** Makes a queued mail due now, with new attempts. False if it is in another state. */
  hastenMail(id: string): Promise<boolean>

  findMailSettings(): Promise<MailSettings | undefined>
  /** Missing fields keep their values. */
  changeMailSettings(change: (settings: MailSettings) => MailSettings): Promise<MailSettings>

  /** Idempotent. The address gets no further news of this account. */
  unsubscribe(address: string): Promise<void>
  /** Removes it from the list. Idempotent. */
  subscribe(address: string): Promise<void>
  isUnsubscribed(address: string): Promise<boolean>
  /** The newest orders of an address, in any state. */
  listOrdersOfAddress(address: string, limit: number): Promise<Order[]>

  /**
   * Creates the notice of a version. If it exists, returns that one; a cancelled one continues, with the mails that were
   * cancelled with it and the new number of recipients.
   */
  addNotice(notice: NewNotice): Promise<Notice>
  findNotice(id: string): Promise<Notice | undefined>
  /** The notices of an asset, the newest first. */
  listNotices(assetId: string): Promise<Notice[]>
  /** A notice that is done or cancelled stays so. Undefined if there is none. */
  changeNotice(id: string, state: Exclude<NoticeState, 'done'>): Promise<Notice | undefined>
  /** Looks at `limit` orders after `after` that were created before `before`, and returns the active ones with an address that cover the asset. */
  listNoticeRecipients(query: {
    assetId: string
    before: Date
    after: string | undefined
    limit: number
  }): Promise<NoticeRecipients>

  /** Notes that the buyer wants more downloads of a file. False if it was noted before. */
  requestMore(orderId: string, assetId: string): Promise<boolean>

  /** Imports mails of another deployment. Existing ones are not changed. Records no events. */
  importMails(imported: {
    mails?: Mail[]
    notices?: NoticeRecord[]
    settings?: MailSettings
    unsubscribed?: string[]
  }): Promise<void>
}

export interface NoticeRecord extends Notice {
  ordersBefore: Date
  lastOrder: string | null
}

export interface LinkRequest {
  address: string
  locale: string | null
}

export interface MailClaim {
  leaseMs: number
  limit: number
  newsLimit: number
  /** How many mails of one account this instance sends at the same time, apart from notices, and how many it does now. */
  perAccount: number
  running: ReadonlyMap<string, number>
}

/** The mails of all accounts. */
export interface AllMails {
  /**
   * Claims at most `limit` mails that are due, and counts an attempt of each. Other instances skip them for `leaseMs`.
   * Notices come last, and only `newsLimit` of their mails; those of paused ones are skipped. The accounts with the fewest
   * running attempts come first, and of each account the mails that are due for the longest time.
   */
  claimMails(claim: MailClaim): Promise<Mail[]>
  /** The same for mails that are due and would not be tried again after a further failure. */
  claimOverdueMails(leaseMs: number, limit: number): Promise<Mail[]>
  /**
   * Records what became of a claimed mail. False if another instance has claimed it since. A mail that waits for its order,
   * or was cancelled with its notice, is due at once if the order was released, or the notice was started again, meanwhile.
   */
  recordMail(mail: Mail, result: MailResult): Promise<boolean>
  /** In how many milliseconds the next mail, notice or request for lost links is due; undefined if there is none. */
  nextMailIn(): Promise<number | undefined>
  /** Deletes at most `limit` mails that have ended and are older than this. Returns their number. */
  forgetMails(keptForMs: number, limit: number): Promise<number>

  /** Notes that somebody asks for the URLs of this address. At most `most` requests wait. */
  addLinkRequest(request: LinkRequest, most: number): Promise<void>
  /** Those that are due. */
  listLinkRequests(limit: number): Promise<LinkRequest[]>
  /** Makes a request that could not be answered due after the pause. Drops it if it is older than `keptForMs`. */
  postponeLinkRequest(address: string, pauseMs: number, keptForMs: number): Promise<void>
  /** Queues the mails of a request and removes it, unless another instance has. Skips accounts that mailed to it within `quietMs`. */
  answerLinkRequest(
    address: string,
    mails: (NewMail & { accountId: string })[],
    quietMs: number,
  ): Promise<void>
  /** The accounts with orders of this address. */
  listAccountsOfAddress(address: string, limit: number): Promise<string[]>

  /** Those that are due, the longest due first. */
  listDueNotices(limit: number): Promise<NoticeRecord[]>
  /**
   * Queues mails of the next buyers of a notice, at most `perStep`; none while twice as many wait. The notice is due again
   * after `pauseMs` in any case. Each buyer gets one mail of a notice, however many orders and instances there are. Returns
   * their number; 0 if another instance has just continued it.
   */
  continueNotice(
    notice: NoticeRecord,
    step: {
      perStep: number
      ordersPerStep: number
      pauseMs: number
      toMail: (recipient: { address: string }) => Pick<NewMail, 'id' | 'messageId'>
    },
  ): Promise<number>
  /** Makes a notice that could not be continued due after the pause. */
  postponeNotice(id: string, pauseMs: number): Promise<void>

  listMailRecords(accountId: string, after: string | undefined, limit: number): Promise<Mail[]>
  listNoticeRecords(accountId: string): Promise<NoticeRecord[]>
  listUnsubscribed(accountId: string, after: string | undefined, limit: number): Promise<string[]>
}
