import type { MailKind, MailSettings, MailText } from '../domain/mail.ts'
import type { Branding } from '../domain/order.ts'
import { type Html, html } from '../text/html.ts'
import { readableOn } from '../text/readable-on.ts'
import { cleanLine } from './mail.ts'
import { type Language, languageOf, WORDS } from './texts.ts'

/** What a mail is made from. */
export interface MailContent {
  kind: MailKind
  locale: string | null
  branding: Branding
  settings: MailSettings
  values: MailValues
  /** Where to unsubscribe; undefined if the mail is no news. */
  unsubscribeUrl?: string | undefined
  /** Overrides the stored text. */
  own?: Partial<MailText> | undefined
}

/** Without a value, a line is left out. */
export interface MailValues {
  name?: string | null | undefined
  orderNumber?: string | null | undefined
  url?: string | undefined
  files?: string[] | undefined
  /** How many files the order covers. */
  fileCount?: number | undefined
  expiresAt?: Date | null | undefined
  filename?: string | undefined
  version?: number | undefined
  orders?: ListedOrder[] | undefined
}

export interface ListedOrder {
  number: string | null
  orderedAt: Date
  status: 'active' | 'held' | 'expired' | 'revoked'
  url: string | undefined
}

export interface Rendered {
  subject: string
  text: string
  html: string
}

const MAX_NAMED_FILES = 10
/** How many characters of a file name or an order number a list has: no mail is larger than 100 kB. */
const MAX_LISTED_CHARACTERS = 100
const SEPARATORS: Partial<Record<Language, string>> = { ja: '、', ar: '، ' }
const DEFAULT_COLOR = '#0b7285'

/** The subject, the text, and the HTML that is made from the text. */
export function renderMail(content: MailContent): Rendered {
  const { kind, locale, settings, branding, own } = content
  const language = languageOf(locale)
  const stored = settings.texts[kind]?.[language] ?? WORDS[language].texts[kind]
  const template = { ...stored, ...own }
  const values = valuesOf(content, language)
  const subject = cleanLine(fill(template.subject, values)) || WORDS[language].texts[kind].subject
  const paragraphs = template.text
    .split(/\r?\n/)
    .flatMap((line) => fillLine(line, values))
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/^\n+|\n+$/g, ''))
    .filter((paragraph) => paragraph.trim() !== '')
  const footer = footerOf(content, language)
  const text = `${[...paragraphs, ...(footer.length > 0 ? [`-- \n${footer.join('\n')}`] : [])].join('\n\n')}\n`
  const markup = renderHtml({ subject, paragraphs, footer, language, branding, content })
  return { subject, text, html: markup }
}

type Values = Record<string, string>

function valuesOf({ values, branding }: MailContent, language: Language): Values {
  const { name, orderNumber, url, files, fileCount = 0, expiresAt, filename, version } = values
  const one = (text: string | null | undefined) => isolate(cleanLine(text ?? ''), language)
  const named = (files ?? []).slice(0, MAX_NAMED_FILES).map((file) => one(shorten(file)))
  const rest = fileCount - named.length
  if (rest > 0 && named.length > 0)
    named.push(WORDS[language].more.replace('{count}', String(rest)))
  return {
    name: one(name),
    shop: one(branding.name),
    order_number: one(orderNumber),
    url: url ?? '',
    // A word such as “and” would become a part of the name beside it.
    files: named.join(SEPARATORS[language] ?? ', '),
    expires: expiresAt ? one(dateText(language, expiresAt)) : '',
    filename: one(filename),
    version: version === undefined ? '' : String(version),
    orders: (values.orders ?? []).map((order) => describeOrder(order, language)).join('\n\n'),
  }
}

function shorten(text: string): string {
  const characters = [...text]
  if (characters.length <= MAX_LISTED_CHARACTERS) return text
  return `${characters.slice(0, MAX_LISTED_CHARACTERS - 1).join('')}…`
}

/** A text in the other direction does not change the order of the words around it. */
function isolate(text: string, language: Language): string {
  return language === 'ar' && text !== '' ? `\u2068${text}\u2069` : text
}

function dateText(language: Language, date: Date): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return `${new Intl.DateTimeFormat(language, format).format(date)} UTC`
}

function describeOrder(
  { number, orderedAt, status, url }: ListedOrder,
  language: Language,
): string {
  const { order, states } = WORDS[language]
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  const shown = isolate(cleanLine(shorten(number ?? '')), language)
  const named = order.replace('{number}', () => shown)
  const facts = [
    ...(number === null ? [] : [isolate(named, language)]),
    isolate(day.format(orderedAt), language),
    states[status],
  ]
  const line = facts.join(' · ')
  return status === 'active' && url !== undefined ? `${line}\n${url}` : line
}

function fill(template: string, values: Values): string {
  return template
    .replaceAll(/ ?\{name\}/g, (found) => (values.name === '' ? '' : found))
    .replaceAll(/\{(\w+)\}/g, (found, name: string) => values[name] ?? found)
}

/** A line with a placeholder that has no value is left out, unless it is the name. */
function fillLine(line: string, values: Values): string[] {
  const names = [...line.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const isEmpty = names.some((name) => name !== 'name' && values[name] === '')
  return isEmpty ? [] : [fill(line, values)]
}

function footerOf({ branding, unsubscribeUrl }: MailContent, language: Language): string[] {
  const { helpText, helpEmail } = branding
  return [
    ...(helpText === null ? [] : [helpText]),
    ...(helpEmail === null ? [] : [helpEmail]),
    ...(unsubscribeUrl === undefined ? [] : [`${WORDS[language].unsubscribe}\n${unsubscribeUrl}`]),
  ]
}

interface Parts {
  subject: string
  paragraphs: string[]
  footer: string[]
  language: Language
  branding: Branding
  content: MailContent
}

/** Tables and inline styles: Outlook uses the layout of Word, and some services remove the style element. */
function renderHtml({ subject, paragraphs, footer, language, branding, content }: Parts): string {
  const color = branding.color ?? DEFAULT_COLOR
  const ink = readableOn(color)
  // Otherwise, a white button would not be seen on the white card.
  const border = ink === '#000' ? 'border:1px solid #767676;' : ''
  const font = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif'
  const dir = language === 'ar' ? 'rtl' : 'ltr'
  const align = dir === 'rtl' ? 'right' : 'left'
  const urls = urlsOf(content)
  const body = paragraphs.map((paragraph) => {
    if (paragraph.trim() !== content.values.url) {
      return html`<p class="ink" dir="auto" style="margin:0 0 16px;text-align:${align};color:#1c2327">${withLinks(paragraph, urls)}</p>`
    }
    const url = paragraph.trim()
    return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 12px"><tr><td bgcolor="${color}" style="background:${color};${border}border-radius:6px;padding:12px 24px"><a href="${url}" style="${font};font-size:16px;font-weight:bold;color:${ink};text-decoration:none;display:inline-block">${WORDS[language].button}</a></td></tr></table>
<p class="quiet" dir="ltr" style="margin:0 0 16px;font-size:13px;line-height:18px;color:#4c585f;text-align:${align};word-break:break-all">${withLinks(url, urls)}</p>`
  })
  const shop =
    branding.name === null
      ? undefined
      : html`<tr><td bgcolor="${color}" style="background:${color};padding:16px 24px;border-radius:8px 8px 0 0;${font};font-size:18px;font-weight:bold;color:${ink};text-align:${align}"><span dir="auto">${cleanLine(branding.name)}</span></td></tr>`
  const end =
    footer.length === 0
      ? undefined
      : html`<tr><td class="line quiet" style="border-top:1px solid #dde1e4;padding:16px 24px;${font};font-size:13px;line-height:20px;color:#4c585f;text-align:${align};word-break:break-word">${footer.map((part) => html`<p dir="auto" style="margin:0 0 8px">${withLinks(part, urls)}</p>`)}</td></tr>`
  const { markup } = html`<!doctype html>
<html lang="${language}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${subject}</title>
<style>
:root{color-scheme:light dark}
@media (prefers-color-scheme:dark){.page{background:#17191b!important}.card{background:#212427!important}.ink{color:#e3e6e8!important}.quiet{color:#aab3b9!important}.line{border-color:#363b40!important}a.link{color:#8ab4f8!important}}
@media (max-width:640px){.pad{padding:16px 8px!important}}
</style>
</head>
<body class="page" bgcolor="#f6f7f8" style="margin:0;padding:0;background:#f6f7f8;-webkit-text-size-adjust:100%">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f6f7f8" style="background:#f6f7f8"><tr><td class="pad" align="center" style="padding:32px 16px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="max-width:600px;background:#ffffff;border-radius:8px">${shop}
<tr><td style="padding:24px 24px 8px;${font};font-size:16px;line-height:24px;word-break:break-word">${body}</td></tr>
${end}
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`
  return markup
}

/** Only URLs of the service become links: the name of a buyer must not become one. */
function urlsOf({ values, unsubscribeUrl }: MailContent): Set<string> {
  const urls = [values.url, unsubscribeUrl, ...(values.orders ?? []).map(({ url }) => url)]
  return new Set(urls.flatMap((url) => (url ? [url] : [])))
}

function withLinks(text: string, urls: Set<string>): Html[] {
  return text.split('\n').flatMap((line, index) => {
    const parts = line
      .split(/(https?:\/\/[^\s<>"\u2068\u2069]+)/)
      .map((part) =>
        urls.has(part)
          ? html`<a class="link" href="${part}" style="color:#0b57d0">${part}</a>`
          : html`${part}`,
      )
    return index === 0 ? parts : [{ markup: '<br>' }, ...parts]
  })
}
