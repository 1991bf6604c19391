import type * as wire from '@stowage/protocol'
import { endpoints, MAX_MAIL_PAGE_SIZE } from '@stowage/protocol'
import {
  changeMailTexts,
  checkText,
  placeholdersByKind,
  readMailTexts,
  type TextsOfAccount,
} from '../../operations/mail-texts.ts'
import {
  listMails,
  type Preview,
  previewMail,
  readMail,
  sendMailAgain,
  sendTestMail,
} from '../../operations/mails.ts'
import { changeNotice, listNotices, notifyBuyers } from '../../operations/notices.ts'
import { presentMail, presentNotice } from '../../wire/mails.ts'
import { readPageRequest } from '../requests.ts'
import { presentPage } from '../responses/page.ts'
import { type RouteGroup, route } from '../route.ts'

export const mailRoutes: RouteGroup = (app, options) => {
  const { baseUrl, context: service } = options
  const { mode, from } = service.mail

  route(app, options, endpoints.listMails, async ({ context, query, url }) => {
    const { state, kind, order, notice, limit, ...rest } = query
    const page = { ...rest, ...(limit && { limit: Math.min(limit, MAX_MAIL_PAGE_SIZE) }) }
    const { mails, position } = await listMails(context, {
      ...readPageRequest(page, 'created_at'),
      ...(state && { state }),
      ...(kind && { kind }),
      ...(order && { orderId: order.toLowerCase() }),
      ...(notice && { noticeId: notice.toLowerCase() }),
    })
    const list = { base: baseUrl(), url, query: endpoints.listMails.query }
    return { data: mails.map(presentMail), ...presentPage(position, list) }
  })

  route(app, options, endpoints.testMail, async ({ context, body }) => {
    const { outcome, response } = await sendTestMail(context, body.to)
    return { data: { outcome, response } }
  })

  route(app, options, endpoints.readMail, async ({ context, params }) => {
    const { mail, content } = await readMail(context, params.id.toLowerCase())
    return { data: { ...presentMail(mail), content: content && presentContent(content) } }
  })

  route(app, options, endpoints.sendMailAgain, async ({ context, params }) => {
    return { data: presentMail(await sendMailAgain(context, params.id.toLowerCase())) }
  })

  const present = ({ replyTo, texts }: TextsOfAccount): wire.MailTexts => ({
    sending: mode,
    from: mode === 'off' ? null : from.address,
    reply_to: replyTo,
    placeholders: placeholdersByKind(),
    texts: presentTexts(texts),
  })

  route(app, options, endpoints.readMailTexts, async ({ context }) => {
    return { data: present(await readMailTexts(context)) }
  })

  route(app, options, endpoints.changeMailTexts, async ({ context, body }) => {
    const { reply_to: replyTo, texts } = body
    return { data: present(await changeMailTexts(context, { replyTo, texts })) }
  })

  route(app, options, endpoints.previewMailText, async ({ context, body }) => {
    const { kind, language, subject, text, order_id: orderId } = body
    const own = { ...(subject !== undefined && { subject }), ...(text !== undefined && { text }) }
    checkText(kind, own)
    const request = { kind, language, own, orderId: orderId?.toLowerCase() }
    return { data: presentContent(await previewMail(context, request)) }
  })

  route(app, options, endpoints.notifyBuyers, async ({ context, params, body }) => {
    const isTrial = body.dry_run === true
    const told = await notifyBuyers(context, params.id.toLowerCase(), { isTrial })
    const { version, recipients, unsubscribed, notice, preview } = told
    return {
      data: {
        version,
        recipients,
        unsubscribed,
        notice: notice === undefined ? null : presentNotice(notice),
        preview: presentContent(preview),
      },
    }
  })

  route(app, options, endpoints.listNotices, async ({ context, params }) => {
    const notices = await listNotices(context, params.id.toLowerCase())
    return { data: notices.map(presentNotice) }
  })

  route(app, options, endpoints.changeNotice, async ({ context, params, body }) => {
    return { data: presentNotice(await changeNotice(context, params.id.toLowerCase(), body.state)) }
  })
}

function presentContent({ from, replyTo, subject, text, html }: Preview): wire.RenderedMail {
  return { from, reply_to: replyTo, subject, text, html }
}

function presentTexts(texts: TextsOfAccount['texts']): wire.MailTexts['texts'] {
  const byKind: Record<string, Record<string, wire.MailText>> = {}
  for (const { kind, language, subject, text, isDefault } of texts) {
    const one = { subject, text, is_default: isDefault }
    byKind[kind] = { ...byKind[kind], [language]: one }
  }
  return byKind as wire.MailTexts['texts']
}
