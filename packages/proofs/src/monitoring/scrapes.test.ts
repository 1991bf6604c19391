import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { anAccount, type TestAccount } from '@stowage/testing/service/accounts'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

const ACCOUNTS = 10_000
/** Accounts that make calls. */
const CALLERS = 30
/** How often Prometheus scrapes by default or more often, and which share of a core that may take. */
const INTERVAL_MS = 15_000
const MAX_SHARE = 0.01
const SCRAPES = 40

async function scrape({ metricsUrl }: TestService): Promise<string[]> {
  const text = await (await fetch(metricsUrl ?? '')).text()
  return text.split('\n').filter((line) => /^[a-z]/.test(line))
}

/** The names and labels, without those of jobs, which run at other times. */
function seriesOf(lines: string[]): string[] {
  const names = lines.map((line) => line.slice(0, line.lastIndexOf(' ')))
  return names.filter((name) => !/^(stowage_(call|job)_|nodejs_|process_)/.test(name))
}

async function makeCalls({ call, id, name }: TestAccount): Promise<void> {
  const link = { filename: name, url: 'https://example.com/x' }
  const { body } = await call('POST', `${API}/assets/store`, link)
  for (const path of [`/assets/${body.data.id}`, '/assets', '/events', '/keys', `/assets/${id}`]) {
    await call('GET', API + path)
  }
}

test('10,000 accounts have the series of one, and a scrape takes less than 1 % of a core', async (t) => {
  const service = await aService(t, {
    STOWAGE_METRICS_PORT: '0',
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: 'an-admin-key-from-outside-0123456789-abcdef',
  })
  const { database, clock, newId } = service.context
  await makeCalls(await anAccount(service, { name: 'one' }))
  const before = await scrape(service)

  const names = Array.from({ length: ACCOUNTS - 2 - CALLERS }, (_, index) => `shop ${index}`)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const plan = { planName: name, planStorage: 1e9 }
        await database.ensureAccount({ id: newId(), name, ...plan, createdAt: clock() })
      }
    }),
  )
  for (let index = 0; index < CALLERS; index += 1) {
    await makeCalls(await anAccount(service, { name: `caller ${index}` }))
  }
  await until('the accounts are counted', async () =>
    (await scrape(service)).includes(`stowage_accounts ${ACCOUNTS}`),
  )
  const after = await scrape(service)
  assert.deepEqual(seriesOf(after), seriesOf(before))
  assert.ok(after.length < before.length + 200, `${before.length} series became ${after.length}`)

  // A scrape reads the state and writes the text. The time of the client is included.
  const readMs = await cpuMsOf(() => database.readState())
  const writeMs = await cpuMsOf(() => scrape(service))
  const share = (readMs + writeMs) / INTERVAL_MS
  t.diagnostic(
    `${after.length} series; a scrape takes ${readMs.toFixed(1)} ms of CPU time to read the state of ${ACCOUNTS} accounts and ${writeMs.toFixed(1)} ms to write it, ${(share * 100).toFixed(2)} % of a core every 15 s`,
  )
  assert.ok(share < MAX_SHARE, `${share}`)
})

/** The CPU time of this process, which a busy machine does not change much. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  await work()
  const start = process.cpuUsage()
  for (let count = 0; count < SCRAPES; count += 1) await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000 / SCRAPES
}
