import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createClient } from '@stowage/client'
import { type StowageEvent, verifyWebhook } from '@stowage/client/webhooks'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { aCli } from './support/cli.ts'

const URL_OF_LINK = 'https://example.com/a.zip'

test('events lists the latest events, or those after an ID, by type', async (t) => {
  const { baseUrl } = await aService(t)
  const { run } = await aCli(t, baseUrl)
  const empty = await run('events')
  assert.deepEqual([empty.code, empty.stdout, empty.stderr], [0, '', 'No events.\n'])
  const client = createClient({ baseUrl })
  for (const filename of ['a', 'b', 'c']) {
    await client.store({ filename, url: URL_OF_LINK })
  }
  await client.createKey({ name: 'shop', scope: 'read' })
  await client.createWebhook({ url: 'http://127.0.0.1:1/hook' })
  const listed = await run('events')
  const lines = listed.stdout.trimEnd().split('\n')
  assert.match(lines[0] ?? '', /^ *ID +TIME +TYPE +BY +NAME$/)
  assert.match(
    lines[1] ?? '',
    /^ *1\d{6} +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +asset.ready +anonymous +a$/,
  )
  assert.match(lines[4] ?? '', /key.created +anonymous +shop$/)
  assert.match(lines[5] ?? '', /webhook.created +anonymous +http:\/\/127.0.0.1:1$/)
  const ids = async (...words: string[]) => {
    const { stdout } = await run('events', '--json', ...words)
    return JSON.parse(stdout).map(({ id }: StowageEvent) => Math.floor(id / 1e6))
  }
  assert.deepEqual(await ids('--limit', '2'), [4, 5])
  assert.deepEqual(await ids('--after', '1', '-n', '2'), [2, 3])
  assert.deepEqual(await ids('--type', 'key.created', '--type', 'asset.deleted'), [4])
  for (const words of [
    ['--after', 'x'],
    ['--limit', '1001'],
    ['--follow', '--limit', '1'],
    ['--secret', 'whsec_AAAA'],
    ['--forward', 'localhost:3000'],
    ['--forward', 'http://localhost:3000', '--secret', 'abc'],
    ['surplus'],
  ]) {
    assert.equal((await run('events', ...words)).code, 2, words.join(' '))
  }
  const unknown = await run('events', '--type', 'asset.redy')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /type/)
})

test('events are found by actor, name and time, however many others there are', async (t) => {
  const service = await aService(t)
  const { run } = await aCli(t, service.baseUrl)
  const client = createClient({ baseUrl: service.baseUrl })
  const { id } = await client.store({ filename: 'intro.pdf', url: URL_OF_LINK })
  await client.change(id, { filename: 'start.pdf' })
  for (let batch = 0; batch < 21; batch += 1) {
    const products = Array.from({ length: 1000 }, (_, index) => {
      return { product_id: batch * 1000 + index, variant_id: 1, name: 'Pack' }
    })
    await client.putProducts(products)
  }
  await client.delete(id)
  const found = await run('events', '--search', 'intro')
  const [, ...rows] = found.stdout.trimEnd().split('\n')
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/).slice(-3)),
    [
      ['asset.ready', 'anonymous', 'intro.pdf'],
      ['asset.updated', 'anonymous', 'start.pdf (was intro.pdf)'],
    ],
  )
  const count = async (...words: string[]) => {
    const { stdout } = await run('events', '--json', ...words)
    return JSON.parse(stdout).length
  }
  assert.equal(await count('--search', 'pdf'), 3)
  assert.equal(await count('--search', 'pdf', '--after', '0'), 3)
  assert.equal(await count('--search', 'pdf', '--limit', '2'), 2)
  assert.equal(await count('--search', 'pdf', '--type', 'asset.deleted'), 1)
  assert.equal(await count('--search', 'pdf', '--actor', 'anonymous'), 3)
  assert.equal(await count('--search', 'pdf', '--actor', 'key'), 0)
  const today = new Date().toISOString().slice(0, 10)
  assert.equal(await count('--search', 'pdf', '--from', today, '--to', today), 3)
  assert.equal(await count('--search', 'pdf', '--to', '2026-01-01'), 0)
  for (const words of [
    ['--follow', '--actor', 'key'],
    ['--forward', 'http://localhost:3000', '--from', today],
    ['--search', ''],
    ['--by', 'key'],
  ]) {
    assert.equal((await run('events', ...words)).code, 2, words.join(' '))
  }
  const invalid = await run('events', '--from', 'yesterday')
  assert.equal(invalid.code, 1)
  assert.match(invalid.stderr, /from.*2026-01-31/s)
})

test('events --follow shows new events until it is interrupted', async (t) => {
  const { baseUrl } = await aService(t)
  const { start } = await aCli(t, baseUrl)
  const client = createClient({ baseUrl })
  await client.store({ filename: 'first', url: URL_OF_LINK })
  const running = start({}, 'events', '--follow', '--json', '--after', '0')
  await until('the first event is shown', () => running.output().stdout.includes('first'))
  await client.store({ filename: 'second', url: URL_OF_LINK })
  await until('the second event is shown', () => running.output().stdout.includes('second'))
  const { code, stdout } = await running.end('SIGINT')
  assert.equal(code, 130)
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ data }) => data.filename),
    ['first', 'second'],
  )
})

test('events --forward sends signed webhooks to a local receiver, and continues if it fails', async (t) => {
  const received: { headers: NodeJS.Dict<string | string[]>; body: string }[] = []
  const receiver = await anHttpServer(t, async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) })
    if (received.length === 1) return void response.destroy()
    response.writeHead(received.length === 2 ? 500 : 204).end()
  })
  const { baseUrl } = await aService(t)
  const { start } = await aCli(t, baseUrl)
  const client = createClient({ baseUrl })
  for (const filename of ['a', 'b', 'c']) await client.store({ filename, url: URL_OF_LINK })
  const running = start({}, 'events', '--forward', `${receiver}/hook`, '--after', '0')
  await until('three events are sent', () => running.output().stdout.split('\n').length > 3)
  const { stdout, stderr } = await running.end('SIGINT')
  const [secret = ''] = /whsec_\S+/.exec(stderr) ?? []
  const events = await Promise.all(received.map((request) => verifyWebhook(request, secret)))
  assert.deepEqual(
    events.map(({ data }) => 'filename' in data && data.filename),
    ['a', 'b', 'c'],
  )
  for (const { body } of received) {
    const { timestamp, created_at } = JSON.parse(body)
    assert.equal(timestamp, created_at)
  }
  const ids = new Set(received.map(({ headers }) => headers['webhook-id']))
  assert.equal(ids.size, 3)
  const results = stdout.trimEnd().split('\n')
  assert.match(results[0] ?? '', /socket hang up|closed|other side/)
  assert.match(results[1] ?? '', /^500 +2\d{6} /)
  assert.match(results[2] ?? '', /^204 +3\d{6} /)
})
