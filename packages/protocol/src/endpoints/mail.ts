import { AssetPath } from '../asset.ts'
import { API_PREFIX, defineEndpoint } from '../endpoint.ts'
import { mailExample, noticeExample, pageExample, renderedMailExample } from '../examples.ts'
import {
  ListMailsQuery,
  MAX_MAILS_PER_MINUTE,
  MailContentResponse,
  MailPage,
  MailPath,
  MailResponse,
  MailTextsRequest,
  MailTextsResponse,
  NoticeChanges,
  NoticeList,
  NoticePath,
  NoticeResponse,
  NotificationResponse,
  NotifyRequest,
  PreviewMailRequest,
  PreviewResponse,
  TestedMailResponse,
  TestMailRequest,
} from '../mail.ts'

const PATH = `${API_PREFIX}/mails`
const TEXTS = `${API_PREFIX}/account/mail-texts`

export const listMails = defineEndpoint({
  operationId: 'listMails',
  methods: ['GET'],
  path: PATH,
  tag: 'Mail',
  scope: 'read',
  summary: 'List the mails to buyers',
  description:
    'The newest first, without their content. Mails are kept for 90 days. `meta.total` counts up to 10,000.',
  query: ListMailsQuery,
  success: {
    status: 200,
    description: 'A page of mails',
    schema: MailPage,
    example: { data: [mailExample], ...pageExample('mails') },
  },
  errors: [],
})

export const readMail = defineEndpoint({
  operationId: 'readMail',
  methods: ['GET'],
  path: `${PATH}/:id`,
  tag: 'Mail',
  scope: 'write',
  summary: 'View a mail with its content',
  description:
    'The content has the URL of the download page, so a key that only reads does not get it.',
  params: MailPath,
  success: {
    status: 200,
    description: 'The mail',
    schema: MailContentResponse,
    example: { data: { ...mailExample, content: renderedMailExample } },
  },
  errors: ['not_found'],
})

export const sendMailAgain = defineEndpoint({
  operationId: 'sendMailAgain',
  methods: ['POST'],
  path: `${PATH}/:id/send`,
  tag: 'Mail',
  scope: 'write',
  refusesIdempotencyKey: true,
  summary: 'Send a mail again',
  description: `A queued mail is tried at once. Of any other, a new mail with its own \`Message-ID\` is queued, as one of the ${MAX_MAILS_PER_MINUTE} a minute that calls may send.`,
  params: MailPath,
  success: {
    status: 200,
    description: 'The queued mail',
    schema: MailResponse,
    example: { data: mailExample },
  },
  errors: ['not_found', 'mail_not_configured', 'mail_running', 'too_many_requests'],
})

export const testMail = defineEndpoint({
  operationId: 'testMail',
  methods: ['POST'],
  path: `${PATH}/test`,
  tag: 'Mail',
  scope: 'manage',
  refusesIdempotencyKey: true,
  summary: 'Send a test mail',
  description: `Gives a test mail to the mail server and returns its response. The mail is not stored. One of the ${MAX_MAILS_PER_MINUTE} a minute that an instance of the service sends.`,
  body: TestMailRequest,
  bodyExample: { to: 'ada@example.com' },
  success: {
    status: 200,
    description: 'The response of the mail server',
    schema: TestedMailResponse,
    example: { data: { outcome: 'accepted', response: '250 2.0.0 Ok: queued as 4FDC1' } },
  },
  errors: ['mail_not_configured', 'too_many_requests'],
})

const textsExample = {
  sending: 'smtp',
  from: 'files@example.com',
  reply_to: null,
  placeholders: { files_ready: ['name', 'url'] },
  texts: {
    files_ready: {
      en: {
        subject: 'Your files are ready',
        text: 'Hello {name},\n\nyour files are ready:\n\n{url}',
        is_default: true,
      },
    },
  },
}

export const readMailTexts = defineEndpoint({
  operationId: 'readMailTexts',
  methods: ['GET'],
  path: TEXTS,
  tag: 'Mail',
  scope: 'read',
  summary: 'View the texts of the mails',
  description:
    'By kind and language, with the placeholders that a text may have, and whether the service sends mail.',
  success: {
    status: 200,
    description: 'The texts',
    schema: MailTextsResponse,
    example: { data: textsExample },
  },
  errors: [],
})

export const changeMailTexts = defineEndpoint({
  operationId: 'changeMailTexts',
  methods: ['PUT'],
  path: TEXTS,
  tag: 'Mail',
  scope: 'manage',
  summary: 'Change the texts of the mails',
  description:
    'Plain text with placeholders such as `{name}`. The HTML is made from it: a line that is only a placeholder with a URL becomes a button. A wrong placeholder is refused and named.',
  body: MailTextsRequest,
  bodyExample: {
    reply_to: 'help@example.com',
    texts: { files_ready: { en: { subject: 'Enjoy!', text: 'Here you go:\n\n{url}' } } },
  },
  success: {
    status: 200,
    description: 'The changed texts',
    schema: MailTextsResponse,
    example: { data: textsExample },
  },
  errors: [],
})

export const previewMailText = defineEndpoint({
  operationId: 'previewMailText',
  methods: ['POST'],
  path: `${TEXTS}/preview`,
  tag: 'Mail',
  scope: 'write',
  refusesIdempotencyKey: true,
  summary: 'Preview a text with real data',
  description: 'Stores and sends nothing. Without `subject` and `text`, the stored ones are shown.',
  body: PreviewMailRequest,
  bodyExample: { kind: 'files_ready', language: 'en' },
  success: {
    status: 200,
    description: 'The mail',
    schema: PreviewResponse,
    example: { data: renderedMailExample },
  },
  errors: ['not_found'],
})

export const notifyBuyers = defineEndpoint({
  operationId: 'notifyBuyers',
  methods: ['POST'],
  path: `${API_PREFIX}/assets/:id/notify`,
  tag: 'Mail',
  scope: 'write',
  isBodyOptional: true,
  refusesIdempotencyKey: true,
  summary: 'Tell past buyers of a new version',
  description:
    'Each buyer of an active order that was created before the current version gets one mail, at the rate of `STOWAGE_MAIL_RATE`. A version has one notice: a repeated call returns it, and continues a cancelled one. Call it with `dry_run` first.',
  params: AssetPath,
  body: NotifyRequest,
  bodyExample: { dry_run: true },
  success: {
    status: 200,
    description: 'The number of buyers, a preview, and the notice',
    schema: NotificationResponse,
    example: {
      data: {
        version: 2,
        recipients: 120,
        unsubscribed: 3,
        notice: null,
        preview: renderedMailExample,
      },
    },
  },
  errors: ['not_found', 'mail_not_configured'],
})

export const listNotices = defineEndpoint({
  operationId: 'listNotices',
  methods: ['GET'],
  path: `${API_PREFIX}/assets/:id/notices`,
  tag: 'Mail',
  scope: 'read',
  summary: 'List the notices of a file',
  description: 'The newest versions first.',
  params: AssetPath,
  success: {
    status: 200,
    description: 'The notices',
    schema: NoticeList,
    example: { data: [noticeExample] },
  },
  errors: ['not_found'],
})

export const changeNotice = defineEndpoint({
  operationId: 'changeNotice',
  methods: ['PATCH'],
  path: `${API_PREFIX}/notices/:id`,
  tag: 'Mail',
  scope: 'write',
  summary: 'Pause, resume or cancel a notice',
  description:
    'Mails that the mail server is receiving at this moment are still sent. A cancelled notice continues with `POST /assets/:id/notify`.',
  params: NoticePath,
  body: NoticeChanges,
  bodyExample: { state: 'paused' },
  success: {
    status: 200,
    description: 'The notice',
    schema: NoticeResponse,
    example: { data: { ...noticeExample, state: 'paused' } },
  },
  errors: ['not_found', 'notice_ended'],
})
