import { createHash } from 'node:crypto'
import { formatSize } from '@stowage/protocol/format'
import type { Asset } from '../../../domain/asset.ts'
import {
  type Branding,
  MAX_COVERED_FILES,
  NO_BRANDING,
  type Order,
  type View,
} from '../../../domain/order.ts'
import { type BuyersFile, viewsOf } from '../../../operations/buyers.ts'
import { type Html, html } from '../../../text/html.ts'
import { styleOf } from './style.ts'
import { chooseLanguage, fillText, type Language, type RefusalName, TEXTS } from './texts.ts'

/** A page for buyers: it has no script, sets no cookie, and loads nothing but the merchant’s logo and media. */
export interface BuyersPage {
  markup: string
  /** The Content-Security-Policy. */
  policy: string
}

/** What the pages of an order have in common. */
export interface PageFrame {
  /** The header of the request. */
  acceptLanguage: string | undefined
  /** Undefined on the page of an unknown token. */
  buyer?: { token: string; order: Order; branding: Branding } | undefined
  /** The origin of the storage’s URLs. */
  storageOrigin: string
}

/** No page is larger. */
export const MAX_PAGE_BYTES = 20_000
/** For the links to other pages, and for a heading that is repeated. */
const SPARE_BYTES = 1_500

/** The files of an order, as many as one page may have. `from` is the index of the first one. */
export function renderFiles(
  frame: PageFrame,
  files: BuyersFile[],
  { from, moreLabel }: FilesOptions,
): BuyersPage {
  const language = languageOf(frame)
  const { buyer } = frame
  const rows = files.map((file) => renderFile(frame, language, { ...file, moreLabel }))
  const around = (main: Html) => renderPage(frame, { title: TEXTS[language].title, main, files })
  /** A file that begins a group has its heading. */
  const sizeOf = ({ markup }: Html, index: number) => {
    const line = files[index]?.line
    const isFirst = index === 0 || files[index - 1]?.line !== line
    const title = isFirst ? (titleOf(buyer?.order, line) ?? '') : ''
    return Buffer.byteLength(markup) + (isFirst ? HEADING_BYTES + Buffer.byteLength(title) : 0)
  }
  const room = MAX_PAGE_BYTES - SPARE_BYTES - bytesOf(around(renderHead(frame, language)))
  const starts = startsOf(rows.map(sizeOf), room)
  const page = Math.max(
    0,
    starts.findLastIndex((start) => start <= from),
  )
  const [start = 0, end = rows.length] = starts.slice(page, page + 2)
  const shown = files.slice(start, end)
  const sections = groupsOf(shown, buyer?.order).map(
    ({ title, count, at }) => html`${title === undefined ? undefined : html`<h2>${title}</h2>`}
<ul>${rows.slice(start + at, start + at + count)}</ul>`,
  )
  const texts = TEXTS[language]
  const link = (at: number | undefined, text: string) =>
    at === undefined ? html`<span></span>` : html`<a href="?from=${at}">${text}</a>`
  const pages =
    starts.length > 1
      ? html`<nav aria-label="${texts.pages}">${link(starts[page - 1], texts.previous)}
<span class="quiet">${page + 1} / ${starts.length}</span>${link(starts[page + 1], texts.next)}</nav>`
      : undefined
  const main = html`${renderHead(frame, language)}
${files.length === 0 ? html`<p class="card">${texts.empty}</p>` : sections}${pages}
${files.length < MAX_COVERED_FILES ? undefined : html`<p class="quiet">${fillText(texts.more, { count: MAX_COVERED_FILES })}</p>`}
${files.some(({ limit }) => limit !== null) ? html`<p class="quiet">${texts.note}</p>` : undefined}`
  return renderPage(frame, { title: texts.title, main, files: shown })
}

interface FilesOptions {
  /** The index of the first file. */
  from: number
  /** The label of the button that asks the shop for more downloads. */
  moreLabel: string
}

export interface RefusalDetails {
  filename?: string | undefined
  canReturn?: boolean
  /** The file that the buyer may ask more downloads of, and the label of the button. */
  more?: { asset: string; label: string } | undefined
}

/** Why there are no files, and what to do next. */
export function renderRefusal(
  frame: PageFrame,
  name: RefusalName,
  options: RefusalDetails = {},
): BuyersPage {
  const texts = TEXTS[languageOf(frame)]
  const { title, text } = texts.refusals[name]
  const { buyer } = frame
  const number = buyer?.order.number
  const main = html`<div class="card"><h1>${title}</h1>
${number ? html`<p class="quiet">${fillText(texts.order, { number: isolated(number) })}</p>` : undefined}
${options.filename === undefined ? undefined : html`<p><b><bdi>${options.filename}</bdi></b></p>`}
<p>${text}</p>
${buyer && options.more ? html`<form method="post" action="/d/${buyer.token}/${options.more.asset}/more"><p><button>${options.more.label}</button></p></form>` : undefined}${buyer && options.canReturn ? html`<p><a class="button" href="/d/${buyer.token}">${texts.back}</a></p>` : undefined}</div>`
  return renderPage(frame, { title, main, files: [] })
}

export function languageOf({ acceptLanguage, buyer }: PageFrame): Language {
  return chooseLanguage(acceptLanguage, buyer?.order.locale ?? null)
}

/** The texts for pages of others: see `GET /api/v2/customer-account-orders`. */
export function textsFor(acceptLanguage: string | undefined, locale: string | null) {
  const { title, download, open, none, note, empty, help } =
    TEXTS[chooseLanguage(acceptLanguage, locale)]
  return { title, download, open, none, note, empty, help }
}

/** The frame around the content of every page. */
export function renderPage(
  frame: PageFrame,
  { title, main, files }: { title: string; main: Html; files: BuyersFile[] },
): BuyersPage {
  const { buyer, storageOrigin } = frame
  const { name, logo, color, helpText, helpEmail } = buyer?.branding ?? NO_BRANDING
  const language = languageOf(frame)
  const style = styleOf(color)
  const hash = createHash('sha256').update(style).digest('base64')
  // Browsers also compare the URLs that a form's response redirects to.
  const links = files.flatMap(({ asset }) =>
    asset.url === null ? [] : [new URL(asset.url).origin],
  )
  const targets = ["'self'", storageOrigin, ...new Set(links)].join(' ')
  const media = `'self' ${storageOrigin}`
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src ${media}; media-src ${media}; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`
  const picture =
    logo === null || buyer === undefined
      ? undefined
      : html`<img src="/d/${buyer.token}/logo" alt="">`
  const help = [
    ...(helpText === null ? [] : [html`<p><bdi>${helpText}</bdi></p>`]),
    ...(helpEmail === null ? [] : [html`<p><a href="mailto:${helpEmail}">${helpEmail}</a></p>`]),
  ]
  const { markup } = html`<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title}${name === null ? '' : ` - ${name}`}</title>
<link rel="icon" href="data:,">
<style>${{ markup: style }}</style>
</head>
<body>
${picture || name ? html`<header>${picture}${name === null ? undefined : html`<span>${name}</span>`}</header>` : undefined}
<main>${main}</main>
${help.length > 0 ? html`<footer aria-label="${TEXTS[language].help}">${help}</footer>` : undefined}
</body>
</html>
`
  return { markup, policy: policy.replace('img-src', 'img-src data:') }
}

function renderHead(frame: PageFrame, language: Language): Html {
  const texts = TEXTS[language]
  const { number = null, expiresAt = null } = frame.buyer?.order ?? {}
  const facts = [
    ...(number === null ? [] : [fillText(texts.order, { number: isolated(number) })]),
    ...(expiresAt === null ? [] : [fillText(texts.until, { date: timeText(language, expiresAt) })]),
  ]
  return html`<h1>${texts.title}</h1>
${facts.length > 0 ? html`<p class="quiet">${facts.join(' · ')}</p>` : undefined}
${ICONS}`
}

function renderFile(
  frame: PageFrame,
  language: Language,
  file: BuyersFile & Pick<FilesOptions, 'moreLabel'>,
): Html {
  const texts = TEXTS[language]
  const { buyer } = frame
  const { asset, limit, used, isOpen, openUntil, versionAt, moreLabel } = file
  const left = limit === null ? undefined : Math.max(0, limit - used)
  const isOver = left === 0 && !isOpen
  const action = `/d/${buyer?.token}/${asset.id}`
  const facts = [
    ...(asset.kind === 'link' && asset.bytes === 0 ? [] : [isolated(formatSize(asset.bytes))]),
    ...(asset.version > 1
      ? [fillText(texts.updated, { date: dateText(language, versionAt) })]
      : []),
    ...(left === undefined || left === 0 ? [] : [leftText(language, left)]),
    ...(isOpen && openUntil && limit !== null
      ? [fillText(texts.again, { date: timeText(language, openUntil) })]
      : []),
  ]
  const word = asset.kind === 'link' ? texts.open : texts.download
  const button = isOver
    ? html`<span class="quiet none">${texts.none}</span><form method="post" action="${action}/more"><button class="second" aria-label="${moreLabel}: ${asset.filename}">${moreLabel}</button></form>`
    : html`<form method="post" action="${action}"><button aria-label="${word}: ${asset.filename}">${word}</button></form>`
  const { view, hasPreview } = buyer === undefined ? NO_VIEWS : viewsOf(buyer.order, file)
  const src = `/d/${buyer?.token}/view/${asset.id}`
  const picture = hasPreview
    ? html`<img src="${src}" alt="" loading="lazy">`
    : html`<svg aria-hidden="true"><use href="#${pictureOf(asset)}"/></svg>`
  // Phones do not show PDF files within a page, so the browser opens them on their own.
  const link =
    view === 'pdf' || view === 'picture'
      ? html`<a class="button second" href="${src}" aria-label="${texts.view}: ${asset.filename}">${texts.view}</a>`
      : undefined
  return html`<li>${picture}
<div><b><bdi>${asset.filename}</bdi></b><div class="quiet">${facts.join(' · ')}</div></div>
<div class="act">${link}${button}</div>${renderPlayer(view, src, asset)}</li>`
}

const NO_VIEWS = { view: undefined, hasPreview: false }

function renderPlayer(view: View | undefined, src: string, { filename }: Asset): Html | undefined {
  if (view === 'audio') {
    return html`<audio controls preload="none" src="${src}" aria-label="${filename}"></audio>`
  }
  if (view !== 'video') return undefined
  return html`<video controls preload="none" src="${src}" aria-label="${filename}"></video>`
}

function leftText(language: Language, count: number): string {
  const { left } = TEXTS[language]
  const form = left[new Intl.PluralRules(language).select(count)] ?? left.other
  return fillText(form, { count: new Intl.NumberFormat(language).format(count) })
}

function dateText(language: Language, date: Date): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
}

/** With the time zone: without a script, the page does not know that of the reader. */
function timeText(language: Language, date: Date): string {
  const text = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(date)
  return isolated(`${text} UTC`)
}

/** Keeps the order of its parts within a text from right to left. */
function isolated(text: string): string {
  return `\u2068${text}\u2069`
}

interface Group {
  title: string | undefined
  /** The index of the first file of the group. */
  at: number
  count: number
}

/** The files of each line, in the order of the lines; then those of the order itself. */
function groupsOf(files: BuyersFile[], order: Order | undefined): Group[] {
  const groups: Group[] = []
  let last: number | undefined | null = null
  for (const [at, { line }] of files.entries()) {
    if (line !== last) groups.push({ title: titleOf(order, line), at, count: 0 })
    last = line
    const group = groups.at(-1)
    if (group) group.count += 1
  }
  return groups
}

function titleOf(order: Order | undefined, line: number | undefined): string | undefined {
  const found = line === undefined ? undefined : order?.lines[line]
  if (!found?.product) return undefined
  const { name, variantName } = found.product
  return found.variantId === null || variantName === '' ? name : `${name} - ${variantName}`
}

/** The index of the first file of each page, whose files together have at most `room` bytes. */
function startsOf(sizes: number[], room: number): number[] {
  const starts = [0]
  let used = 0
  for (const [index, bytes] of sizes.entries()) {
    if (used + bytes > room && used > 0) {
      starts.push(index)
      used = 0
    }
    used += bytes
  }
  return starts
}

/** The markup of a heading and a list, besides the title. */
const HEADING_BYTES = 50

function bytesOf({ markup }: BuyersPage): number {
  return Buffer.byteLength(markup)
}

/** The name of the picture for a type of file. */
function pictureOf({ kind, mime }: Asset): string {
  if (kind === 'link') return 'link'
  const type = mime.toLowerCase()
  for (const name of ['image', 'audio', 'video'] as const) {
    if (type.startsWith(`${name}/`)) return name
  }
  if (/zip|compressed|x-tar|x-gtar|rar|gzip|zstd|x-xz|x-bzip/.test(type)) return 'archive'
  if (/^text\/|pdf|epub|document|msword|rtf|ms-|mobipocket|ebook/.test(type)) return 'document'
  return 'file'
}

const SHEET = '<path d="M6 2.8h8L18.5 7.3V21.2H6zM14 2.8V7.3h4.5"/>'
const PICTURES: Record<string, string> = {
  file: SHEET,
  document: `${SHEET}<path d="M9 11.5h6M9 14.5h6M9 17.5h4"/>`,
  archive: `${SHEET}<path d="M10 5h2M10 8h2M10 11h2M10 14h2v3h-2z"/>`,
  image:
    '<rect x="3" y="4.5" width="18" height="15" rx="1.5"/><path d="m3 16 5-5 5 5 3-3 5 5"/><circle cx="15.5" cy="9" r="1.3"/>',
  audio:
    '<path d="M9 18V6l10-2v12"/><circle cx="6.5" cy="18" r="2.5"/><circle cx="16.5" cy="16" r="2.5"/>',
  video: '<rect x="3" y="5" width="18" height="14" rx="1.5"/><path d="m10 9 5 3-5 3z"/>',
  link: '<path d="M10 14 20 4M14 4h6v6M18 13.5V20H4V6h6.5"/>',
}

const ICONS: Html = {
  markup: `<svg class="icons" aria-hidden="true">${Object.entries(PICTURES)
    .map(([name, paths]) => `<symbol id="${name}" viewBox="0 0 24 24">${paths}</symbol>`)
    .join('')}</svg>`,
}
