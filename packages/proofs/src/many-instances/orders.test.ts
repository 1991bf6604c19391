import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConnection } from '@stowage/server/src/database/postgres/connection'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { callJson } from '@stowage/testing/service/service'
import { API, uploadFile } from '@stowage/testing/service/upload'
import { withSharedEngines } from './shared-engines.ts'

const STARTS = 1000
const LIMIT = 5
const FILES = 3

await withSharedEngines('orders on many instances', (engines) => {
  test('1,000 concurrent starts of three files on four instances count one download of each file each day, and never more than the limit', async (t) => {
    const deployment = await engines.deploy(t)
    const instances = await Promise.all([0, 1, 2, 3].map(() => deployment.start()))
    const urls = instances.map(({ baseUrl }) => baseUrl)
    const [first = ''] = urls
    const { STOWAGE_DATABASE: url = '' } = deployment.settings
    const options = { poolSize: 1, statementTimeoutMs: 10_000, tls: 'off' } as const
    const { sql, close } = openConnection({ url, ...options })
    cleanUp(t, close)
    const post = (base: string, path: string, body: object) =>
      callJson(base + API + path, { method: 'POST', body })
    const ids: string[] = []
    for (let file = 0; file < FILES; file += 1) {
      ids.push((await uploadFile(first, { bytes: Buffer.from('file') })).id)
    }
    const creations = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        post(urls[index % 4] ?? first, '/orders', {
          reference: 'one',
          assets: ids,
          max_downloads: LIMIT,
        }),
      ),
    )
    assert.equal(creations.filter(({ status }) => status === 201).length, 1)
    assert.equal(creations.filter(({ status }) => status === 200).length, 39)
    assert.equal(new Set(creations.map(({ body }) => body.data.url)).size, 4)
    const tokens = new Set([tokenOf(creations[0]?.body.data.url)])
    for (let day = 1; day <= LIMIT + 1; day += 1) {
      const starts = Array.from({ length: STARTS }, (_, index) =>
        post(urls[index % 4] ?? first, '/orders/one/downloads', {
          asset: ids[index % FILES],
        }),
      )
      const responses = await Promise.all(starts)
      const statuses = Map.groupBy(responses, ({ status, body }) => `${status} ${body.code ?? ''}`)
      const expected = day <= LIMIT ? '200 ' : '409 limit_reached'
      const counts = [...statuses].map(([status, list]) => [status, list.length])
      assert.deepEqual(counts, [[expected, STARTS]], `day ${day}`)
      const states = await sql<{ used: number; downloads: number; logged: number }[]>`
        select f.used, o.downloads,
          (select count(*) from downloads d where d.asset_id = f.asset_id) as logged
        from orders o join order_files f on f.order_id = o.id`
      const used = Math.min(day, LIMIT)
      const expectedState = { used, downloads: FILES * used, logged: used }
      assert.deepEqual(
        states.map((state) => ({ ...state })),
        ids.map(() => expectedState),
      )
      for (const { body } of responses) if (body.url) tokens.add(tokenOf(body.url))
      const paths = new Set(responses.map(({ body }) => new URL(body.url ?? first).pathname))
      assert.equal(paths.size, day <= LIMIT ? FILES : 1)
      // The 24 hours of the download end.
      await sql`update order_files set open_until = clock_timestamp()`
    }
    assert.deepEqual(await deployment.database.compareDownloads(10), [])
    // No URL can be made from a dump of the database.
    const [{ dump = '' } = {}] = await sql<{ dump: string }[]>`
      select database_to_xml(true, false, '') as dump`
    assert.ok(dump.includes(ids[0] ?? 'no ID'))
    assert.equal(tokens.size, 1 + FILES * LIMIT)
    for (const token of tokens) assert.ok(!dump.includes(token))
    const events = await callJson(`${first}${API}/events?type=order.limit_reached`, {
      method: 'GET',
    })
    assert.equal(events.body.data.length, FILES)
  })
})

/** The last part of the URL of a download page or of a file. */
function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}
