import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { aService } from '@stowage/testing/service/service'
import { attach, putProduct, storeLink } from '@stowage/testing/service/shop'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { anOrder, aSoldFile, downloadedOf, ORDERS, press, urlOf } from '../../support/orders.ts'

test('the page shows the files in the language of the reader, with strict headers', async (t) => {
  const service = await aService(t)
  await aSoldFile(service, '<b>&xpack.zip')
  const branding = {
    name: 'Sounds & Co',
    color: '#ffee00',
    help_text: 'Write <us>\nor call',
    help_email: 'help@example.com',
  }
  await service.call('PUT', `${API}/account/branding`, branding)
  const order = await anOrder(service, {
    order_number: '#<1>',
    max_downloads: 2,
    expires_at: '2099-12-31T12:00:00Z',
    lines: [{ product_id: 1, quantity: 3 }],
  })
  const page = await fetch(urlOf(order))
  const text = await page.text()
  assert.equal(page.status, 200)
  assert.ok(Buffer.byteLength(text) < 20_000)
  assert.doesNotMatch(text, /<script|<b>&x|javascript:| on\w+="/i)
  assert.match(text, /Sounds &amp; Co[\s\S]*Order \u2068#&lt;1&gt;\u2069[\s\S]*6 downloads left/)
  assert.match(text, /--on-accent:#000/)
  assert.match(text, /Write &lt;us&gt;\nor call[\s\S]*mailto:help@example.com/)
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|script-src/)
  for (const [name, value] of [
    ['referrer-policy', 'no-referrer'],
    ['x-robots-tag', 'noindex, nofollow'],
    ['cache-control', 'private, no-store'],
    ['x-frame-options', 'DENY'],
    ['set-cookie', null],
  ] as const) {
    assert.equal(page.headers.get(name), value, name)
  }
  const languages: [string, string, RegExp][] = [
    ['de-AT,en;q=0.5', 'de', /Noch 6 Downloads/],
    ['fr', 'fr', /6 téléchargements restants/],
    ['es', 'es', /Quedan 6 descargas/],
    ['xx, ja;q=0.9, en;q=0.8', 'ja', /残り 6 回/],
    ['ar', 'ar', /dir="rtl"[\s\S]*تبقّت/],
    ['xx', 'en', /6 downloads left/],
  ]
  for (const [accepted, language, expected] of languages) {
    const translated = await fetch(urlOf(order), { headers: { 'Accept-Language': accepted } })
    const markup = await translated.text()
    assert.match(markup, new RegExp(`<html lang="${language}"`))
    assert.match(markup, expected)
  }
  await service.call('PATCH', `${ORDERS}/${order.id}`, { locale: 'fr' })
  const byOrder = await fetch(urlOf(order), { headers: { 'Accept-Language': '*' } })
  assert.match(await byOrder.text(), /<html lang="fr"/)
})

test('a page with hundreds of files has less than 20 kB, and leads to all of them', async (t) => {
  const service = await aService(t)
  await putProduct(service, { variant_id: 11, name: 'ä'.repeat(200) })
  const names = Array.from({ length: 120 }, (_, index) => `${'日本語'.repeat(60)} ${index}.zip`)
  for (const filename of names) {
    const { id } = await storeLink(service, { filename })
    assert.equal((await attach(service, id, { product_ids: [1] })).status, 201)
  }
  const order = await anOrder(service, { max_downloads: 3 })
  const found = new Set<string>()
  let url: string | undefined = urlOf(order)
  let pages = 0
  while (url !== undefined) {
    const text: string = await (await fetch(url)).text()
    assert.ok(Buffer.byteLength(text) < 20_000, `${Buffer.byteLength(text)} bytes`)
    for (const [, name] of text.matchAll(/<bdi>(.*?)<\/bdi>/g)) found.add(name ?? '')
    const next: string | undefined = /href="(\?from=\d+)">Next/.exec(text)?.[1]
    url = next && urlOf(order) + next
    pages += 1
  }
  assert.equal(found.size, names.length)
  assert.ok(pages > 5 && pages < 40, `${pages} pages`)
  for (const from of ['-1', 'x', '1e99', '99999']) {
    assert.equal((await fetch(`${urlOf(order)}?from=${from}`)).status, 200)
  }
})

test('a file without downloads left can only be asked for, and media play only where the order allows it', async (t) => {
  const service = await aService(t)
  const file = { name: 'song.mp3', bytes: Buffer.from('song'), mime: 'audio/mpeg' }
  const { id } = await uploadFile(service.baseUrl, file)
  const order = await anOrder(service, { assets: [id], max_downloads: 1 })
  const player = `${urlOf(order)}/view/${id}`
  assert.equal((await fetch(player)).status, 404)
  assert.doesNotMatch(await (await fetch(urlOf(order))).text(), /<audio/)
  await service.call('PATCH', `${ORDERS}/${order.id}`, { inline: true })
  assert.match(await (await fetch(urlOf(order))).text(), /<audio controls/)
  assert.equal(await (await fetch(player)).text(), 'song')
  const before = await (await fetch(urlOf(order))).text()
  assert.match(before, /1 download left/)
  await press(order, id)
  const page = await (await fetch(urlOf(order))).text()
  assert.match(page, /You can repeat it until/)
  const actionsOf = (text: string) => [...text.matchAll(/action="([^"]+)"/g)].map(([, to]) => to)
  const action = `${new URL(urlOf(order)).pathname}/${id}`
  assert.deepEqual(actionsOf(page), [action])
  const url = (await press(order, id)).headers.get('location') ?? ''
  for (let start = 0; start < 10; start += 1) await (await fetch(url)).arrayBuffer()
  const over = await (await fetch(urlOf(order))).text()
  assert.match(over, /No downloads left/)
  assert.deepEqual(actionsOf(over), [`${action}/more`])
})

test('files are opened in the page only where the order or the asset allows it, and do not count', async (t) => {
  const service = await aService(t)
  const { call } = service
  const store = async (name: string, mime: string, size = 2000) => {
    const bytes = someBytes(size)
    const { id } = await uploadFile(service.baseUrl, { name, mime, bytes })
    return { id, bytes }
  }
  const pdf = await store('score.pdf', 'application/pdf')
  const song = await store('song.mp3', 'audio/mpeg')
  const photo = await store('photo.png', 'image/png')
  const poster = await store('poster.jpg', 'image/jpeg', 300_000)
  const unsafe = [await store('a.svg', 'image/svg+xml'), await store('a.html', 'text/html')]
  const link = await storeLink(service)
  const files = [pdf, song, photo, poster, ...unsafe, link]
  const order = await anOrder(service, { assets: files.map(({ id }) => id), max_downloads: 1 })
  const token = urlOf(order).split('/').at(-1)
  const viewed = async () => {
    const statuses = files.map(({ id }) => fetch(`${urlOf(order)}/view/${id}`))
    const views = (await Promise.all(statuses)).flatMap(({ status }, at) =>
      status === 200 ? [at] : [],
    )
    const { body } = await call('GET', `/api/v2/customer-account-orders?id=${token}`)
    const listed = body.order.assets.flatMap((file: { view_url: string | null; data: Asset }) =>
      file.view_url === null ? [] : [files.findIndex(({ id }) => id === file.data.id)],
    )
    assert.deepEqual(listed.sort(), views)
    return views
  }
  const page = async () => (await fetch(urlOf(order))).text()
  assert.deepEqual(await viewed(), [])
  assert.doesNotMatch(await page(), /view\//)
  // Without a limit, a small picture has a preview: nobody would need to download it in another way.
  await call('PATCH', `${ORDERS}/${order.id}`, { max_downloads: null })
  assert.deepEqual(await viewed(), [2])
  assert.equal((await page()).match(/<img/g)?.length, 1)
  await call('PATCH', `${ORDERS}/${order.id}`, { max_downloads: 1 })
  const allowed = await call('PUT', `${API}/assets/${pdf.id}`, { inline: true })
  assert.deepEqual([allowed.status, allowed.body.data.inline], [200, true])
  assert.deepEqual(await viewed(), [0])
  await call('PATCH', `${ORDERS}/${order.id}`, { inline: true })
  assert.deepEqual(await viewed(), [0, 1, 2, 3])
  const shown = await page()
  assert.deepEqual(
    ['<img', '<audio', '<video', 'class="button second"'].map((tag) => shown.split(tag).length - 1),
    [1, 1, 0, 3],
  )
  const part = await fetch(`${urlOf(order)}/view/${pdf.id}`, { headers: { Range: 'bytes=10-19' } })
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), pdf.bytes.subarray(10, 20))
  assert.match(part.headers.get('content-disposition') ?? '', /^inline/)
  const whole = await fetch((await press(order, pdf.id)).headers.get('location') ?? '')
  assert.match(whole.headers.get('content-disposition') ?? '', /^attachment/)
  const { body } = await call('GET', `${ORDERS}/${order.id}/downloads`)
  assert.equal(body.meta.total, 1)
  await call('PATCH', `${ORDERS}/${order.id}`, { held: true })
  assert.equal((await fetch(`${urlOf(order)}/view/${pdf.id}`)).status, 404)
  const refused = await call('PUT', `${API}/assets/${link.id}`, { inline: true })
  assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['inline']])
  const changes = await call('GET', `${API}/events?type=asset.updated&limit=1000`)
  assert.deepEqual(changes.body.data[0].data.previous, { inline: false })
})

test('the page of an unknown token is a 404 page, and other methods are refused', async (t) => {
  const service = await aService(t)
  const page = await fetch(`${service.baseUrl}/d/${'x'.repeat(32)}`)
  assert.equal(page.status, 404)
  assert.match(await page.text(), /There are no downloads at this URL/)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const deleted = await fetch(`${service.baseUrl}/d/${'x'.repeat(32)}`, { method: 'DELETE' })
  assert.equal(deleted.status, 405)
  // Several routes have this path.
  const put = await fetch(`${service.baseUrl}/d/file/x`, { method: 'PUT' })
  assert.equal(put.headers.get('allow'), 'POST, GET, HEAD')
})

test('a buyer who opens the URL of a button returns to the page of the order, and nothing counts', async (t) => {
  const service = await aService(t)
  const { file } = await aSoldFile(service)
  const order = await anOrder(service)
  for (const path of [`/${file.id}`, `/${file.id}/more`, '/start/more']) {
    const response = await fetch(urlOf(order) + path, { redirect: 'manual' })
    const expected = path.startsWith('/start') ? [404, null] : [303, urlOf(order)]
    assert.deepEqual([response.status, response.headers.get('location')], expected, path)
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
  }
  assert.equal(await downloadedOf(service, order), 0)
})
