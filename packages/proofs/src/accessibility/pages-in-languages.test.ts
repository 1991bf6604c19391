/* Runs in its own process: it shows the same pages many times, in a window of a phone. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as de from '@stowage/dashboard/src/i18n/de'
import * as en from '@stowage/dashboard/src/i18n/en'
import * as es from '@stowage/dashboard/src/i18n/es'
import * as fr from '@stowage/dashboard/src/i18n/fr'
import * as ja from '@stowage/dashboard/src/i18n/ja'
import { LANGUAGE_TAGS } from '@stowage/dashboard/src/i18n/language'
import * as pt from '@stowage/dashboard/src/i18n/pt'
import { LANGUAGES, type Language } from '@stowage/dashboard/src/i18n/texts'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from '@stowage/dashboard/test/support/dashboard'
import type { Page } from 'playwright-core'

const NO_BROWSER = await missingForBrowser()
const CATALOGS = { de, fr, es, pt, ja }
const PHONE = { width: 360, height: 740 }

/** Names, IDs and whole sizes, which are the same in every language. */
const DATA =
  /0000|01[0-9a-f]{6}-|zebra|Q7|\.txt|\.pdf|example|stowup_|whsec_|Stowage|127\.0\.0\.1|@localhost|\w+\.\w+_?\w*$|text\/plain|English|Deutsch|Français|Español|Português|[A-Z]+ \/|https?:|SHA-256|[0-9a-f]{64}|^ID$|^default$|^\S+ \(\d+\)$|^0\.0\.0-test$|^\d+ [kMGT]?B$/

/** A size with the decimal point of English, and of Japanese. */
const DECIMAL = /^\d+\.\d+ [kMGT]?B$/

type Client = Awaited<ReturnType<typeof openDashboard>>['client']

/** Something of everything that pages show, with names that are in no catalog. Returns the paths of the pages. */
async function fillAccount(client: Client, baseUrl: string): Promise<string[]> {
  const file = await client.upload(Buffer.alloc(1_500_000, 'a'), {
    name: 'zebra.txt',
    path: 'zebra/Q7',
  })
  const link = await client.store({ filename: 'zebra-2.pdf', url: 'https://example.com/zebra' })
  const [product] = await client.putProducts(
    [1, 2].map((id) => ({
      product_id: 70_000,
      variant_id: id,
      name: 'Q7 zebra',
      variant_name: `Q7 ${id}`,
      sku: `Q7-0000${id}`,
      vendor: 'zebra',
      tags: ['Q7'],
    })),
  )
  await client.attach(file.id, { product_ids: [70_000] })
  await client.bulk({ action: 'tag', ids: [file.id], tags: ['zebra'] })
  await client.replace(file.id, Buffer.alloc(1_500_000, 'b'), { name: 'zebra-3.txt' })
  const { id: deleted } = await client.store({
    filename: 'zebra-4.txt',
    url: 'https://example.com/4',
  })
  await client.bulk({ action: 'delete', ids: [deleted] })
  const text = { subject: 'zebra', text: 'zebra {url}' }
  await client.changeMailTexts({ texts: { files_ready: { en: text } } })
  const order = await client.createOrder({
    order_number: 'Q7',
    email: 'zebra@example.com',
    lines: [{ product_id: 70_000 }],
    assets: [link.id],
    max_downloads: 3,
    notify: true,
  })
  await fetch(`${order.url}/${file.id}/more`, { method: 'POST' })
  await client.notifyBuyers(file.id)
  const [mail] = (await client.mails().page()).data
  const hook = await client.createWebhook({
    url: 'https://example.com/hook',
    types: ['asset.ready'],
  })
  await client.createUploadToken({ max_bytes: 1_500_000, expires_in: 3600 })
  const unfinished = await fetch(`${baseUrl}/api/v1/assets/signed`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'zebra-5.txt', size: 1_500_000 }),
  })
  const { id: uploading } = (await unfinished.json()) as { id: string }
  return [
    '/',
    `/assets/${file.id}`,
    `/assets/${link.id}`,
    `/assets/${uploading}`,
    '/assets/00000000-0000-7000-8000-000000000000',
    '/?show=no-product&suggest=true',
    '/products',
    '/products?search=nothing',
    `/products/${product?.id}`,
    '/products/import',
    '/orders',
    `/orders/${order.id}`,
    '/mails',
    `/mails/${mail?.id}`,
    '/uploads',
    '/trash',
    '/activity',
    '/service',
    '/storage',
    '/settings',
    `/settings/webhooks/${hook.id}`,
    '/nowhere',
  ]
}

/** Every text that the page shows or that screen readers read out. */
const READ_TEXTS = `[...document.body.querySelectorAll('*')].flatMap((it) => [
  ...[...it.childNodes].filter((node) => node.nodeType === 3 && !it.closest('script, style, code, pre')).map((node) => node.data.trim()),
  ...['aria-label', 'placeholder', 'title', 'alt'].map((name) => it.getAttribute(name)?.trim() ?? ''),
]).concat(document.title).filter((text) => /\\p{L}{2}/u.test(text))`

/** Labels, placeholders and chosen options that do not fit. Names of the user's data may be truncated. */
const READ_TRUNCATED = `(() => {
  const isWider = (it) => it.scrollWidth > it.clientWidth + 1
  const labels = document.querySelectorAll('.mantine-Button-label, .mantine-SegmentedControl-label, h1')
  const canvas = document.createElement('canvas').getContext('2d')
  const fields = [...document.querySelectorAll('input[placeholder], select')].filter((it) => it.clientWidth > 0)
  const textOf = (it) => it.selectedOptions?.[0]?.textContent ?? it.placeholder
  const isCutOff = (it) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(it)
    canvas.font = font
    return canvas.measureText(textOf(it)).width > it.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
  }
  return [...[...labels].filter(isWider).map((it) => it.textContent), ...fields.filter(isCutOff).map(textOf)]
})()`

const PENDING = '.mantine-Skeleton-root, [aria-busy=true], .mantine-Loader-root'

async function untilLoaded(page: Page): Promise<void> {
  // The next frame shows the page of the new URL, or that it is loading.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
  await page.locator('main h1').first().waitFor()
  await until('the page is loaded', async () => (await page.locator(PENDING).count()) === 0)
}

/** As if the language were chosen in another tab, which is faster than in the menu. */
async function changeLanguage(page: Page, language: Language): Promise<void> {
  await page.evaluate(`localStorage.setItem('stowage.language', '${language}')
    dispatchEvent(new StorageEvent('storage', { key: 'stowage.language' }))`)
  await page.locator(`html[lang=${LANGUAGE_TAGS[language]}]`).waitFor()
}

/** Whether a text of this language is the same as the English one, whatever its values are. */
function hasSameText(language: keyof typeof CATALOGS): (text: string) => boolean {
  const textsOf = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(textsOf)
  const english = new Set(textsOf({ ...en }))
  const same = textsOf({ ...CATALOGS[language] }).filter(
    (text) => english.has(text) && /\p{L}{2}/u.test(text.replaceAll(/\{\w+\}/g, '')),
  )
  const source = same.map((text) =>
    text.replaceAll(/[.*+?()|[\]]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+'),
  )
  const pattern = new RegExp(`^(?:${source.join('|')})$`)
  return (text) => pattern.test(text)
}

/** The texts of the page that are the same as in English, and should not be. */
function leftovers(
  shown: readonly string[],
  english: ReadonlySet<string>,
  language: keyof typeof CATALOGS,
): string[] {
  const isSame = hasSameText(language)
  return [...new Set(shown)].filter(
    (text) =>
      english.has(text) &&
      (DECIMAL.test(text) ? language !== 'ja' : !DATA.test(text) && !isSame(text)),
  )
}

/** A size of the page of storage. */
const SIZES = { en: '1.5 MB', de: '1,5 MB', fr: '1,5 Mo', es: '1,5 MB', pt: '1,5 MB', ja: '1.5 MB' }

test('every page fits a phone in every language, and none of its texts stays English', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const browser = { locale: 'en-US', viewport: PHONE }
  const { page, client, service } = await openDashboard(t, {}, { browser })
  const paths = await fillAccount(client, service.baseUrl)
  await page.goto('/')
  const problems: string[] = []
  for (const path of paths) {
    await openPage(page, path)
    await untilLoaded(page)
    if (path === '/') await page.locator('tbody input[type=checkbox]').first().check()
    const english = new Set<string>()
    for (const language of LANGUAGES) {
      await changeLanguage(page, language)
      const shown = await page.evaluate<string[]>(READ_TEXTS)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      const truncated = await page.evaluate<string[]>(READ_TRUNCATED)
      const report = (problem: string) => problems.push(`${language} ${path}: ${problem}`)
      if (width > PHONE.width) report(`${width} pixels wide`)
      for (const text of truncated) report(`“${text}” is cut off`)
      if (path === '/storage') await page.getByText(SIZES[language]).first().waitFor()
      if (language === 'en') for (const text of shown) english.add(text)
      else for (const text of leftovers(shown, english, language)) report(`“${text}” is English`)
    }
    await changeLanguage(page, 'en')
  }
  assert.deepEqual(problems, [])
})
