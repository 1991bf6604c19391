import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { anAccount } from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { API, requestSession, someBytes, uploadFile } from '@stowage/testing/service/upload'

const MEASURED = { STOWAGE_METRICS_PORT: '0' }

/** The values by name and labels, as they are written. */
async function scrape(url: string | undefined): Promise<Map<string, number>> {
  const response = await fetch(url ?? '')
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line))
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ')
      return [line.slice(0, space), Number(line.slice(space + 1))]
    }),
  )
}

test('the metrics have requests by route, calls by engine, and what is stored', async (t) => {
  const { baseUrl, metricsUrl, call } = await aService(t, MEASURED)
  await uploadFile(baseUrl, { bytes: someBytes(1000) })
  await requestSession(baseUrl, { bytes: someBytes(500) })
  await call('GET', `${API}/assets/0198c0de-0000-7000-8000-000000000000`)
  await call('GET', '/no/such/page')
  const metrics = await scrape(metricsUrl)
  const value = (name: string) => metrics.get(name)
  assert.equal(value('stowage_bytes{kind="stored"}'), 1000)
  assert.equal(value('stowage_bytes{kind="reserved"}'), 500)
  assert.equal(value('stowage_uploads{state="uploading"}'), 1)
  assert.equal(value('stowage_uploads{state="completing"}'), 0)
  assert.equal(value('stowage_assets'), 1)
  assert.equal(value('stowage_damaged_files'), 0)
  assert.equal(value('stowage_webhook_backlog'), 0)
  assert.equal(value('stowage_up{engine="database"}'), 1)
  assert.equal(value('stowage_info{version="0.0.0-test"}'), 1)
  const requests = 'stowage_http_request_duration_seconds_count'
  const signed = `method="POST",route="${API}/assets/signed",status="201"`
  assert.equal(value(`${requests}{${signed}}`), 2)
  // The ID is not in the name of the route.
  const asset = `method="GET",route="${API}/assets/:id",status="404"`
  assert.equal(value(`${requests}{${asset}}`), 1)
  assert.equal(value(`${requests}{method="GET",route="none",status="404"}`), 1)
  const calls = 'stowage_call_duration_seconds_count'
  assert.equal(value(`${calls}{engine="database",call="reserveUpload"}`), 2)
  assert.equal(value(`${calls}{engine="storage",call="createUpload"}`), 2)
  assert.equal(value('stowage_call_errors_total{engine="storage"}'), 0)
  assert.ok((value('nodejs_eventloop_lag_seconds') ?? -1) >= 0)
})

test('the number of series is the same with more accounts', async (t) => {
  const service = await aService(t, MEASURED)
  const before = await scrape(service.metricsUrl)
  for (let index = 0; index < 20; index += 1) await anAccount(service, { name: `shop ${index}` })
  await until('the accounts are counted', async () => {
    const metrics = await scrape(service.metricsUrl)
    return metrics.get('stowage_accounts') === 21
  })
  const after = await scrape(service.metricsUrl)
  const own = (metrics: Map<string, number>) =>
    [...metrics.keys()].filter((name) => !/^(stowage_(call|job)_|nodejs_|process_)/.test(name))
  assert.deepEqual(own(after), own(before))
  assert.ok(after.size < before.size + 200, `${before.size} series became ${after.size}`)
})

test('while the database hangs, a scrape responds without what it cannot read', async (t) => {
  const { metricsUrl } = await aService(t, MEASURED, undefined, {
    wrap: ({ database }) => ({ database: { ...database, readState: () => new Promise(() => {}) } }),
  })
  const metrics = await scrape(metricsUrl)
  assert.equal(metrics.get('stowage_up{engine="database"}'), 0)
  assert.equal(metrics.has('stowage_bytes{kind="stored"}'), false)
})

test('without the setting there are no metrics, and the API has no such page', async (t) => {
  const { metricsUrl, call } = await aService(t)
  assert.equal(metricsUrl, undefined)
  assert.equal((await call('GET', '/metrics')).status, 404)
})

test('/readyz reports jobs that fail repeatedly, and stays ready', async (t) => {
  let isBroken = true
  const service = await aService(t, { STOWAGE_CHECKSUMS: 'on' }, undefined, {
    wrap: ({ database }) => ({
      database: {
        ...database,
        async claimVerifications(...args) {
          if (isBroken) throw new Error('broken for the test')
          return database.claimVerifications(...args)
        },
      },
    }),
  })
  await until('the jobs have failed three times', async () => {
    // An event wakes the job up.
    await uploadFile(service.baseUrl, { bytes: someBytes(10) })
    const { status, body } = await service.call('GET', '/readyz')
    assert.deepEqual([status, body.status], [200, 'ready'])
    return /background jobs fail: .*computeChecksums/.test(body.degraded?.[0])
  })
  isBroken = false
  await until('the jobs succeed', async () => {
    await uploadFile(service.baseUrl, { bytes: someBytes(10) })
    return (await service.call('GET', '/readyz')).body.degraded === undefined
  })
})
