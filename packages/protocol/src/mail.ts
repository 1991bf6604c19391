import { EMAIL } from './order.ts'
import { PageLinks, PageMeta, PageQuery } from './paging.ts'
import { Check, Nullable, Problem, type Static, Strict, Type, Uuid } from './schema.ts'

/** How many mails an account may send a minute by calls. */
export const MAX_MAILS_PER_MINUTE = 30
/** The maximum number of mails on a page. */
export const MAX_MAIL_PAGE_SIZE = 100

export const MAIL_KINDS = ['files_ready', 'new_version', 'links'] as const
export const MAIL_STATES = ['queued', 'sending', 'sent', 'failed', 'cancelled'] as const
/** The languages of the mails and of the pages of buyers. */
export const BUYER_LANGUAGES = ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const
export type MailKind = (typeof MAIL_KINDS)[number]
export type BuyerLanguage = (typeof BUYER_LANGUAGES)[number]

const kind = Type.Enum([...MAIL_KINDS], {
  type: 'string',
  description:
    '`files_ready`: the files of an order. `new_version`: news of a file. `links`: the URLs of the orders of an address, from the page for lost links',
  ...Problem(`must be ${MAIL_KINDS.join(', ')}`),
})
const state = Type.Enum([...MAIL_STATES], {
  type: 'string',
  description:
    '`queued`: waits for its first or next attempt. `sending`: an attempt is running. `sent`: the mail server accepted it. `failed`: the mail server refused it for good, or did not accept it within two days. `cancelled`: it is not sent, for example because its order was revoked: see `reason`',
  ...Problem(`must be ${MAIL_STATES.join(', ')}`),
})

const facts = {
  id: Uuid(),
  kind,
  cause: Type.Enum(['order', 'call', 'find', 'notice'], {
    type: 'string',
    description:
      'What queued it: `notify` of an order, a call, the page for lost links, or a notice of a new version',
  }),
  state,
  recipient: Type.String({ examples: ['ada@example.com'] }),
  order_id: Nullable('string', { description: 'The order that it is about' }),
  notice_id: Nullable('string', { description: 'The notice that it belongs to' }),
  asset_id: Nullable('string', { description: 'The file that the news is about' }),
  locale: Nullable('string', { description: 'The language of the buyer' }),
  message_id: Type.String({ description: 'The header `Message-ID`: the same in all attempts' }),
  attempts: Type.Integer({ description: 'How often it was given to the mail server' }),
  reason: Nullable('string', {
    description:
      'Why the last attempt failed, in the words of the mail server, or why it is not sent',
  }),
  created_at: Type.String({ format: 'date-time' }),
  sent_at: Nullable('string', { description: 'When the mail server accepted it' }),
}

export const EventMail = Type.Object(facts, { title: 'EventMail' })
export type EventMail = Static<typeof EventMail>

const mail = {
  ...facts,
  next_attempt_at: Nullable('string', { description: 'Present while it is queued' }),
}

export const Mail = Type.Object(mail, { title: 'Mail' })
export type Mail = Static<typeof Mail>

const Content = {
  subject: Type.String(),
  text: Type.String({ description: 'The part `text/plain`' }),
  html: Type.String({ description: 'The part `text/html`, which is made from the text' }),
}

const RenderedMail = Type.Unsafe<RenderedMail | null>({
  type: ['object', 'null'],
  required: ['from', 'reply_to', ...Object.keys(Content)],
  properties: { from: Type.String(), reply_to: Nullable('string'), ...Content },
  description:
    'What is sent, or what would be sent now: the content is made from the order at the time of each attempt. null if there is nothing to send any more',
})
export interface RenderedMail {
  from: string
  reply_to: string | null
  subject: string
  text: string
  html: string
}

export const MailPath = Type.Object({ id: Uuid({ description: 'The mail’s ID' }) })
export const MailResponse = Type.Object({ data: Mail }, { title: 'MailResponse' })
export const MailWithContent = Type.Object(
  { ...mail, content: RenderedMail },
  { title: 'MailWithContent' },
)
export type MailWithContent = Static<typeof MailWithContent>
export const MailContentResponse = Type.Object(
  { data: MailWithContent },
  { title: 'MailContentResponse' },
)
export const MailPage = Type.Object(
  { data: Type.Array(Mail), links: PageLinks, meta: PageMeta },
  { title: 'MailPage' },
)
export type MailPage = Static<typeof MailPage>

export const ListMailsQuery = Type.Object({
  ...PageQuery,
  limit: Type.Optional({
    ...PageQuery.limit,
    description: `Rows per page, at most ${MAX_MAIL_PAGE_SIZE}; larger values are reduced to ${MAX_MAIL_PAGE_SIZE}`,
  }),
  state: Type.Optional(state),
  kind: Type.Optional(kind),
  order: Type.Optional(Uuid({ description: 'Only mails about the order with this ID' })),
  notice: Type.Optional(Uuid({ description: 'Only mails of this notice' })),
})
export type ListMailsQuery = Static<typeof ListMailsQuery>

const address = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: EMAIL.pattern,
  examples: ['ada@example.com'],
  ...Problem('must be an e-mail address of at most 254 characters'),
})

export const TestMailRequest = Type.Object({ to: address }, { title: 'TestMailRequest', ...Strict })

export const TestedMail = Type.Object(
  {
    outcome: Type.Enum(['accepted', 'refused', 'postponed'], {
      type: 'string',
      description:
        '`refused`: for good. `postponed`: the server may accept it later, or could not be reached',
    }),
    response: Type.String({ description: 'The response of the mail server, or the problem' }),
  },
  { title: 'TestedMail' },
)
export type TestedMail = Static<typeof TestedMail>
export const TestedMailResponse = Type.Object({ data: TestedMail }, { title: 'TestedMailResponse' })

/* The texts. */

const MAX_SUBJECT = 200
const MAX_TEXT = 5_000

const subject = Type.String({
  minLength: 1,
  maxLength: MAX_SUBJECT,
  ...Check('printable'),
  ...Problem(`must be a line of 1 to ${MAX_SUBJECT} characters`),
})
const text = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT,
  pattern: '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$',
  ...Problem(`must be a text of 1 to ${MAX_TEXT} characters, with \\n at the end of lines`),
})

const Text = Type.Object(
  { subject, text },
  { ...Strict, ...Problem('must be an object with subject and text, or null') },
)

const perLanguage = (values: object, description: string) => ({
  type: 'object',
  properties: Object.fromEntries(BUYER_LANGUAGES.map((language) => [language, values])),
  additionalProperties: false,
  description,
  ...Problem(`must be an object with languages: ${BUYER_LANGUAGES.join(', ')}`),
})

type TextsOf<Value> = Partial<Record<MailKind, Partial<Record<BuyerLanguage, Value>>>>

export const MailTextsRequest = Type.Object(
  {
    reply_to: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 254,
        pattern: EMAIL.pattern,
        description:
          'Where the answers of buyers go. null: the `help_email` of `PUT /account/branding`, or `STOWAGE_MAIL_REPLY_TO`',
        ...Problem(EMAIL['x-problem']),
      }),
    ),
    texts: Type.Optional(
      Type.Unsafe<TextsOf<{ subject: string; text: string } | null>>({
        type: 'object',
        properties: Object.fromEntries(
          MAIL_KINDS.map((name) => [
            name,
            perLanguage(
              { ...Text, type: ['object', 'null'] },
              'By language; null restores the text of the service',
            ),
          ]),
        ),
        additionalProperties: false,
        description: 'By kind and language. A missing one keeps its value',
        ...Problem(`must be an object with kinds of mails: ${MAIL_KINDS.join(', ')}`),
      }),
    ),
  },
  { title: 'MailTextsRequest', ...Strict },
)
export type MailTextsRequest = Static<typeof MailTextsRequest>

export const MailText = Type.Object(
  {
    subject: Type.String(),
    text: Type.String(),
    is_default: Type.Boolean({ description: 'Whether it is the text of the service' }),
  },
  { title: 'MailText' },
)
export type MailText = Static<typeof MailText>

export const MailTexts = Type.Object(
  {
    sending: Type.Enum(['smtp', 'outbox', 'off'], {
      type: 'string',
      description:
        '`smtp`: mails are sent. `outbox`: a service for development without a mail server shows them in `GET /mails` only. `off`: there is no mail server, and calls that send are refused',
    }),
    from: Nullable('string', { description: 'The sender of all mails: `STOWAGE_MAIL_FROM`' }),
    reply_to: Nullable('string'),
    placeholders: Type.Unsafe<Record<MailKind, string[]>>({
      type: 'object',
      propertyNames: { enum: MAIL_KINDS },
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description:
        'The placeholders of each kind, without braces. A line with one that has no value is left out',
    }),
    texts: Type.Unsafe<Record<MailKind, Record<BuyerLanguage, MailText>>>({
      type: 'object',
      propertyNames: { enum: MAIL_KINDS },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: BUYER_LANGUAGES },
        additionalProperties: MailText,
      },
      description: 'By kind and language',
    }),
  },
  { title: 'MailTexts' },
)
export type MailTexts = Static<typeof MailTexts>
export const MailTextsResponse = Type.Object({ data: MailTexts }, { title: 'MailTextsResponse' })

export const PreviewMailRequest = Type.Object(
  {
    kind,
    language: Type.Enum([...BUYER_LANGUAGES], {
      type: 'string',
      ...Problem(`must be ${BUYER_LANGUAGES.join(', ')}`),
    }),
    subject: Type.Optional(subject),
    text: Type.Optional(text),
    order_id: Type.Optional(
      Uuid({ description: 'Default: the newest order with an e-mail address, or made-up data' }),
    ),
  },
  { title: 'PreviewMailRequest', ...Strict },
)

export type PreviewMailRequest = Static<typeof PreviewMailRequest>

export const PreviewResponse = Type.Object(
  { data: Type.Object({ from: Type.String(), reply_to: Nullable('string'), ...Content }) },
  { title: 'PreviewResponse' },
)

/* News of a new version. */

const notice = {
  id: Uuid(),
  asset_id: Uuid(),
  version: Type.Integer(),
  state: Type.Enum(['sending', 'paused', 'cancelled', 'done'], {
    type: 'string',
    description: '`done`: all mails are queued; `GET /mails?notice=` shows what became of them',
  }),
  recipients: Type.Integer({ description: 'How many buyers there were when it was created' }),
  queued: Type.Integer({ description: 'How many mails were queued so far' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
}
export const Notice = Type.Object(notice, { title: 'Notice' })
export type Notice = Static<typeof Notice>
export const NoticeResponse = Type.Object({ data: Notice }, { title: 'NoticeResponse' })
export const NoticeList = Type.Object({ data: Type.Array(Notice) }, { title: 'NoticeList' })

export const NotifyRequest = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Boolean({
        description: 'true: nothing is sent; the response has the number of buyers and a preview',
        ...Problem('must be true or false'),
      }),
    ),
  },
  { title: 'NotifyRequest', ...Strict },
)

export const Notification = Type.Object(
  {
    version: Type.Integer({ description: 'The current version of the file' }),
    recipients: Type.Integer({
      description:
        'How many buyers are told: those of active orders that cover the file and were created before this version, each address once, without unsubscribed ones. Above 100,000 it is an estimate',
    }),
    unsubscribed: Type.Integer({ description: 'How many further buyers want no news' }),
    notice: Type.Unsafe<Notice | null>({
      anyOf: [Notice, { type: 'null' }],
      description: 'The notice of this version; null if there is none yet',
    }),
    preview: Type.Unsafe<RenderedMail>({
      ...Type.Object({ from: Type.String(), reply_to: Nullable('string'), ...Content }),
      description: 'The mail to the first buyer, or with made-up data if there is none',
    }),
  },
  { title: 'Notification' },
)
export type Notification = Static<typeof Notification>
export const NotificationResponse = Type.Object(
  { data: Notification },
  { title: 'NotificationResponse' },
)

export const NoticePath = Type.Object({ id: Uuid({ description: 'The notice’s ID' }) })
export const NoticeChanges = Type.Object(
  {
    state: Type.Enum(['sending', 'paused', 'cancelled'], {
      type: 'string',
      ...Problem('must be sending, paused or cancelled'),
    }),
  },
  { title: 'NoticeChanges', ...Strict },
)
