/** A mail to a buyer. Its content is made from the order when it is sent. */
export interface Mail {
  id: string
  accountId: string
  kind: MailKind
  cause: MailCause
  orderId: string | null
  noticeId: string | null
  /** The file that the news is about. */
  assetId: string | null
  recipient: string
  locale: string | null
  /** The same in all attempts, with angle brackets. */
  messageId: string
  state: MailState
  attempts: number
  /** When it is sent next; while it is sent, when another instance may send it. */
  dueAt: Date
  /** An attempt that fails later than this is the last one. */
  retryUntil: Date
  /** Why the last attempt failed, or why it is not sent. */
  reason: string | null
  createdAt: Date
  sentAt: Date | null
}

export const MAIL_KINDS = ['files_ready', 'new_version', 'links'] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** `find`: the page for lost links. */
export type MailCause = 'order' | 'call' | 'find' | 'notice'

/** `cancelled`: it is not sent, for example because its order was revoked. */
export type MailState = 'queued' | 'sending' | 'sent' | 'failed' | 'cancelled'

/** A mail to queue. */
export type NewMail = Pick<
  Mail,
  | 'id'
  | 'kind'
  | 'cause'
  | 'orderId'
  | 'noticeId'
  | 'assetId'
  | 'recipient'
  | 'locale'
  | 'messageId'
>

/** What became of an attempt, to record. */
export type MailResult =
  | { state: 'sent'; reason: null }
  | { state: 'failed' | 'cancelled'; reason: string }
  /**
   * It is tried again after this time. `isAttempt`: whether the server was asked. `isHeld`: it waits for its order, and is
   * tried at once if the order was released meanwhile.
   */
  | { state: 'queued'; reason: string; afterMs: number; isAttempt: boolean; isHeld?: boolean }

/** For how long a mail is tried again. */
export const RETRY_FOR_MS = 2 * 24 * 3_600_000

/** How long a mail waits for its order to be released. */
export const HELD_FOR_MS = 30 * 24 * 3_600_000

const MINUTE_MS = 60_000
const PAUSES_MS = [1, 5, 15, 30, 60, 120, 240].map((minutes) => minutes * MINUTE_MS)

/** The pause after so many failed attempts. */
export function retryPauseMs(attempts: number): number {
  return PAUSES_MS[Math.min(Math.max(attempts, 1), PAUSES_MS.length) - 1] ?? MINUTE_MS
}

/** News of a version to past buyers. */
export interface Notice {
  id: string
  accountId: string
  assetId: string
  version: number
  state: NoticeState
  /** How many buyers there were when it was created or started again. */
  recipients: number
  /** How many mails were queued. */
  queued: number
  createdAt: Date
  updatedAt: Date
}

export type NoticeState = 'sending' | 'paused' | 'cancelled' | 'done'

/** The reason of mails that are cancelled with their notice. They are sent if it is started again. */
export const NOTICE_CANCELLED = 'The notice was cancelled.'

/** The subject and the text of a mail, with placeholders such as `{name}`. */
export interface MailText {
  subject: string
  text: string
}

/** The merchant’s own texts, by kind and language; a missing one is that of the service. */
export type MailTexts = Partial<Record<MailKind, Record<string, MailText>>>

export interface MailSettings {
  replyTo: string | null
  texts: MailTexts
}

export const NO_MAIL_SETTINGS: MailSettings = { replyTo: null, texts: {} }

/** How addresses are compared. */
export function foldAddress(address: string): string {
  return address.toLowerCase()
}

/** The data of an event about a mail. */
export type EventMail = Omit<Mail, 'accountId' | 'dueAt' | 'retryUntil'>

export function toEventMail({ accountId, dueAt, retryUntil, ...facts }: Mail): EventMail {
  return facts
}

/** The sender of all mails. */
export interface MailSender {
  name: string | null
  address: string
}
