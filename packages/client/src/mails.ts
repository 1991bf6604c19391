import type {
  ListMailsQuery,
  Mail,
  MailPage,
  MailTexts,
  MailTextsRequest,
  MailWithContent,
  Notice,
  Notification,
  Order,
  PreviewMailRequest,
  RenderedMail,
  TestedMail,
} from '@stowage/protocol'
import type { Listing } from './listing.ts'
import type { CallSettings } from './options.ts'
import type { Request } from './request.ts'

/** The calls of mails to buyers. */
export interface MailCalls {
  /** Lists the mails to buyers, newest first, in the same way as `assets`. They are kept for 90 days. */
  mails(query?: ListMailsQuery & CallSettings): Listing<Mail, MailPage>
  /** Returns a mail with its content: what is sent, or what would be sent now. */
  mail(id: string, settings?: CallSettings): Promise<MailWithContent>
  /**
   * Sends “Your files are ready” of an order, by its ID or by your own `reference`. Each call sends a mail, so it is retried only
   * if the service reports that it did nothing (429, 503).
   */
  sendOrder(id: string, settings?: CallSettings): Promise<Order>
  /** Sends a mail again: a queued one at once, any other as a new mail. Retried like `sendOrder`. */
  sendMailAgain(id: string, settings?: CallSettings): Promise<Mail>
  /** Gives a test mail to the mail server, and returns its response. Retried like `sendOrder`. */
  testMail(to: string, settings?: CallSettings): Promise<TestedMail>
  /** Returns the texts of the mails by kind and language, their placeholders, and whether the service sends mail. */
  mailTexts(settings?: CallSettings): Promise<MailTexts>
  /** Changes texts. A missing one keeps its value, and null restores that of the service. */
  changeMailTexts(changes: MailTextsRequest, settings?: CallSettings): Promise<MailTexts>
  /** Returns a mail with the data of an order. Stores and sends nothing. */
  previewMail(request: PreviewMailRequest, settings?: CallSettings): Promise<RenderedMail>
  /**
   * Tells past buyers of the current version of a file, once each. With `dry_run`, only returns their number and a preview. A
   * version has one notice, so the call can be repeated.
   */
  notifyBuyers(
    assetId: string,
    request?: { dry_run?: boolean } & CallSettings,
  ): Promise<Notification>
  /** Returns the notices of a file, the newest version first. */
  notices(assetId: string, settings?: CallSettings): Promise<Notice[]>
  /** Pauses, resumes or cancels a notice. */
  changeNotice(
    id: string,
    state: 'sending' | 'paused' | 'cancelled',
    settings?: CallSettings,
  ): Promise<Notice>
}

/** The calls whose code is loaded on demand. */
export type MailCallsOnDemand = Omit<MailCalls, 'mails'>

const TEXTS = '/account/mail-texts'

export function createMailCalls({ data }: Request): MailCallsOnDemand {
  const send = { method: 'POST', isRepeatable: false }
  return {
    mail: (id, settings) => data<MailWithContent>('/mails/:id', { ...settings, id }),
    sendOrder: (id, settings) => data<Order>('/orders/:order/email', { ...settings, ...send, id }),
    sendMailAgain: (id, settings) => data<Mail>('/mails/:id/send', { ...settings, ...send, id }),
    testMail: (to, settings) =>
      data<TestedMail>('/mails/test', { ...settings, ...send, body: { to } }),
    mailTexts: (settings) => data<MailTexts>(TEXTS, settings),
    changeMailTexts: (body, settings) =>
      data<MailTexts>(TEXTS, { ...settings, method: 'PUT', body }),
    previewMail: (body, settings) =>
      data<RenderedMail>(`${TEXTS}/preview`, { ...settings, method: 'POST', body }),
    notifyBuyers: (id, { dry_run, ...settings } = {}) =>
      data<Notification>('/assets/:id/notify', {
        ...settings,
        id,
        method: 'POST',
        body: { ...(dry_run !== undefined && { dry_run }) },
      }),
    notices: (id, settings) => data<Notice[]>('/assets/:id/notices', { ...settings, id }),
    changeNotice: (id, state, settings) =>
      data<Notice>('/notices/:id', { ...settings, id, method: 'PATCH', body: { state } }),
  }
}
