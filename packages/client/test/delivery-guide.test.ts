import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient, type Order } from '@stowage/client'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ensureInstalled, type Program, skipUnlessCi } from '@stowage/testing/machine/programs'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { someBytes } from '@stowage/testing/service/upload'
import { aServedPage } from './support/page.ts'

/* Runs in a shared browser. */

const run = promisify(execFile)
const NO_BROWSER = await missingForBrowser()
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/delivery.md'), 'utf8')
const BLOCKS = [...PAGE.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, code = '']) => ({
  language,
  code,
}))
const BYTES = someBytes(2500)
const PRODUCT = 632910392
const PAID = { id: 5123, number: '#1001', email: 'ada@example.com' }

/** Shell commands are run by the tests of the CLI. */
const unused = new Set(BLOCKS.filter(({ language }) => language !== 'sh'))
after(() => assert.deepEqual([...unused], [], 'no test runs this code of docs/delivery.md'))

function block(language: string, part: RegExp): string {
  const found = BLOCKS.filter((one) => one.language === language && part.test(one.code))
  const [one] = found
  assert.ok(one && found.length === 1, `${found.length} blocks with ${part}`)
  unused.delete(one)
  return one.code
}

/** A service that sells book.pdf as the product of the guide, and a folder in which programs run with its settings. */
async function aShop(t: TestContext) {
  const { baseUrl } = await aKeyedService(t)
  const stowage = createClient({ baseUrl, apiKey: ADMIN_KEY })
  await stowage.putProducts([{ product_id: PRODUCT, variant_id: 1, name: 'Book' }])
  const file = await stowage.upload(new Uint8Array(BYTES), {
    name: 'book.pdf',
    attach: { product_ids: [PRODUCT] },
  })
  const folder = await aFolder(t)
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(ROOT, 'node_modules/@stowage'), join(folder, 'node_modules/@stowage'))
  const env = { ...process.env, STOWAGE_URL: baseUrl, STOWAGE_API_KEY: ADMIN_KEY }
  return {
    ...{ baseUrl, stowage, file, folder },
    async runProgram(program: string, ...words: string[]) {
      const running = run(program, words, { cwd: folder, env, timeout: 60_000 })
      return (await running).stdout.trim()
    },
  }
}

const CALL_JS = `console.log(await deliver(JSON.parse(process.argv[2])))`
const EXAMPLES: {
  name: string
  language: string
  part: RegExp
  program?: Program
  file: string
  start?: string
  call: string
}[] = [
  { name: 'the client', language: 'js', part: /createOrder/, file: 'sdk.mjs', call: CALL_JS },
  { name: 'plain Node', language: 'js', part: /await fetch/, file: 'plain.mjs', call: CALL_JS },
  {
    ...{ name: 'Python', language: 'python', part: /def deliver/, program: 'python3' },
    ...{ file: 'deliver.py', call: 'import sys\nprint(deliver(json.loads(sys.argv[1])))' },
  },
  {
    ...{ name: 'PHP', language: 'php', part: /function deliver/, program: 'php', start: '<?php\n' },
    ...{ file: 'deliver.php', call: 'echo deliver(json_decode($argv[1], true));' },
  },
]

for (const { name, language, part, program, file, start = '', call } of EXAMPLES) {
  test(`the guide’s function for ${name} turns a paid order into the buyer’s URL, and refunds`, async (t) => {
    const missing = program && (await ensureInstalled(program))
    if (missing) return skipUnlessCi(t, missing)
    const code = block(language, part)
    const body = /^[^\n]*\bdeliver\(.*?\n(.*?)^(}|$(?![\s\S]))/ms.exec(code)?.[1] ?? ''
    const length = body.trim().split('\n').length
    assert.ok(length >= 5 && length <= 11, `${length} lines`)
    const shop = await aShop(t)
    await writeFile(join(shop.folder, file), `${start}${code}\n${call}\n`)
    const deliver = (items: object[], id: number | string = PAID.id) =>
      shop.runProgram(program ?? process.execPath, file, JSON.stringify({ ...PAID, id, items }))
    const url = await deliver([{ productId: PRODUCT, quantity: 3 }])
    const order = await shop.stowage.order('5123')
    assert.equal(url, order.url)
    assert.equal(order.order_number, '#1001')
    assert.equal(await deliver([{ productId: PRODUCT, quantity: 3, refunded: 1 }]), url)
    const [covered] = await shop.stowage.orderFiles('5123')
    assert.deepEqual([covered?.asset.id, covered?.limit], [shop.file.id, 10])
    assert.equal((await fetch(url)).status, 200)
    await assert.rejects(deliver([{ productId: 1, quantity: 1 }], 'ü-2'))
    assert.equal((await shop.stowage.orders().page()).meta.total, 1)
  })
}

test('the guide’s changes refund, extend, hold and revoke an order', async (t) => {
  const { stowage, runProgram, folder, file } = await aShop(t)
  await stowage.createOrder({
    reference: '5123',
    lines: [{ product_id: PRODUCT, quantity: 3 }],
  })
  await stowage.startDownload('5123', file.id)
  const create = block('js', /createOrder/).split('export')[0]
  await writeFile(join(folder, 'a.mjs'), `${create}\n${block('js', /revokeOrder/)}`)
  assert.match(await runProgram(process.execPath, 'a.mjs'), /^book\.pdf 20\d\d-/)
  const order: Order = await stowage.order('5123')
  assert.deepEqual(
    [order.status, order.max_downloads, order.expires_at, order.lines[0]?.refunded_quantity],
    ['revoked', 10, '2099-12-31T23:59:59.000Z', 1],
  )
})

test('the guide’s backend lists the files of an order and starts their downloads', async (t) => {
  const { stowage, runProgram, folder, file } = await aShop(t)
  await stowage.createOrder({
    reference: '5123',
    lines: [{ product_id: PRODUCT }],
    max_downloads: 1,
  })
  const create = block('js', /createOrder/)
    .split('export')[0]
    ?.replace('{ createClient }', '{ createClient, isStowageError }')
  const call = `const [file] = await listFiles('5123')
console.log(JSON.stringify([file, await urlOfFile('5123', file.id)]))`
  await writeFile(join(folder, 'a.mjs'), `${create}\n${block('js', /listFiles/)}\n${call}`)
  const [listed, url] = JSON.parse(await runProgram(process.execPath, 'a.mjs'))
  assert.deepEqual(listed, { id: file.id, name: 'book.pdf', downloaded: 0, limit: 1 })
  assert.deepEqual(await (await fetch(url)).bytes(), new Uint8Array(BYTES))
})

test('the guide’s page of a headless shop lists the files, starts a download, and leads to the page of a held order', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { baseUrl, stowage } = await aShop(t)
  const order = await stowage.createOrder({ lines: [{ product_id: PRODUCT }], max_downloads: 5 })
  const token = order.url?.split('/').at(-1) ?? ''
  const html = block('html', /customer-account-orders/)
  const page = await aServedPage(t, (_, response) => {
    const code = html.replace('https://files.example.com', baseUrl)
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html>${code}`)
  })
  const shop = page.url()
  assert.notEqual(new URL(shop).origin, new URL(baseUrl).origin)
  await page.goto(`${shop}?order=${token}`)
  const item = page.locator('#files li')
  await item.getByText('book.pdf').waitFor()
  assert.equal(await item.textContent(), 'book.pdf 2.5 kB 0 / 5')
  assert.equal((await stowage.order(order.id)).downloads, 0)
  const downloading = page.waitForEvent('download')
  await item.getByRole('link').click()
  const bytes = readFileSync(await (await downloading).path())
  assert.deepEqual(bytes, BYTES)
  assert.equal((await stowage.order(order.id)).downloads, 1)
  await page.goto(`${shop}?order=unknown`)
  await page.getByRole('heading', { name: /There is no order/ }).waitFor()
  await stowage.changeOrder(order.id, { held: true })
  await page.goto(`${shop}?order=${token}`)
  await page.waitForURL(`${baseUrl}/d/${token}`)
})
