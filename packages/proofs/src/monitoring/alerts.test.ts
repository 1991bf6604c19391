import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Engines } from '@stowage/server/src/compose'
import { EngineUnavailable } from '@stowage/server/src/domain/errors'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { freePort } from '@stowage/testing/machine/ports'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API, putParts, requestSession, someBytes } from '@stowage/testing/service/upload'
import { parse } from 'yaml'

const DOCS = new URL('../../../../docs/monitoring/', import.meta.url)
const RULES = new URL('alerts.yml', DOCS)
const run = promisify(execFile)

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[]
}

async function readRules() {
  const { groups }: Rules = parse(await readFile(RULES, 'utf8'))
  return groups.flatMap(({ rules }) => rules)
}

test('each alert rule fires in its situation, and not shortly before', async (t) => {
  const missing = await ensureInstalled('prometheus')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const folder = await aFolder(t)
  await writeFile(join(folder, 'alerts.yml'), await readFile(RULES))
  const tests = await readFile(new URL('alerts.yml', import.meta.url), 'utf8')
  const file = join(folder, 'tests.yml')
  await writeFile(file, tests.replace('- ALERTS', '- alerts.yml'))
  await run('promtool', ['check', 'rules', join(folder, 'alerts.yml')])
  await run('promtool', ['test', 'rules', file])
  const tested = [...tests.matchAll(/^ +- name: (Stowage\w+)$/gm)].map(([, name]) => name)
  const rules = await readRules()
  assert.deepEqual(
    tested,
    rules.map(({ alert }) => alert),
  )
})

test('the service has every metric of the alert rules, the dashboard and the documentation', async (t) => {
  const { metricsUrl, call } = await aService(t, { STOWAGE_METRICS_PORT: '0' })
  await call('GET', `${API}/assets`)
  await until('a job has run', async () => /stowage_job_errors_total\{/.test(await read()))
  async function read(): Promise<string> {
    return (await fetch(metricsUrl ?? '')).text()
  }
  const text = await read()
  for (const file of ['alerts.yml', 'grafana.json', 'README.md']) {
    const names = (await readFile(new URL(file, DOCS), 'utf8')).match(
      /\b(stowage|nodejs|process)_[a-z\d_]*[a-z\d]\b/g,
    )
    assert.ok(names && names.length > 10)
    for (const name of new Set(names)) {
      // Only PostgreSQL has a pool.
      if (name === 'stowage_database_connections' || name === 'stowage_name') continue
      assert.match(text, new RegExp(`^# TYPE ${name.replace(/_(count|bucket)$/, '')} `, 'm'), name)
    }
  }
})

/** The situations, which the test enters one after the other. */
interface Faults {
  isListBroken: boolean
  isStorageSlow: boolean
  isDatabaseSlow: boolean
  isJobBroken: boolean
  isDiskFilling: boolean
  isPoolBusy: boolean
  isCompletionStuck: boolean
  areWebhooksStuck: boolean
  isDatabaseGone: boolean
}

const gone = (engine: 'database' | 'storage') => new EngineUnavailable(engine, new Error('a test'))

/** Makes calls of the engines fail or wait while the faults say so. */
function faulty({ database, storage }: Engines, faults: Faults): Partial<Engines> {
  let fillingSince: number | undefined
  return {
    database: {
      ...database,
      of(...args) {
        const data = database.of(...args)
        return {
          ...data,
          async listTags(...query) {
            if (faults.isDatabaseSlow) await pause(2_100)
            return data.listTags(...query)
          },
          async reserveUpload(...request) {
            if (faults.isDatabaseSlow) await pause(2_100)
            return data.reserveUpload(...request)
          },
          async listAssets(...query) {
            if (faults.isListBroken) throw new Error('a test')
            return data.listAssets(...query)
          },
        }
      },
      async readState() {
        if (faults.isDatabaseGone) throw gone('database')
        return database.readState()
      },
      readLoad: () => (faults.isPoolBusy ? { limit: 10, busy: 10, waiting: 20 } : undefined),
      async expireUploads(ids) {
        if (faults.isJobBroken) throw new Error('a test')
        return database.expireUploads(ids)
      },
      async claimVerifications(...args) {
        if (faults.isJobBroken) throw new Error('a test')
        return database.claimVerifications(...args)
      },
      async claimDeliveries(...args) {
        return faults.areWebhooksStuck ? [] : database.claimDeliveries(...args)
      },
    },
    storage: {
      ...storage,
      async freeBytes() {
        if (!faults.isDiskFilling) return 500e9
        fillingSince ??= performance.now()
        const seconds = (performance.now() - fillingSince) / 1000
        return Math.max(100e9, 500e9 - seconds * 20e9)
      },
      async signParts(...args) {
        if (faults.isStorageSlow) await pause(2_100)
        return storage.signParts(...args)
      },
      async completeUpload(...args) {
        if (faults.isCompletionStuck) throw gone('storage')
        return storage.completeUpload(...args)
      },
    },
  }
}

test('each alert fires in a real run of Prometheus, and none before its situation', async (t) => {
  const missing = await ensureInstalled('prometheus')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const faults: Faults = {
    isListBroken: false,
    isStorageSlow: false,
    isDatabaseSlow: false,
    isJobBroken: false,
    isDiskFilling: false,
    isPoolBusy: false,
    isCompletionStuck: false,
    areWebhooksStuck: false,
    isDatabaseGone: false,
  }
  const service = await aService(
    t,
    {
      STOWAGE_METRICS_PORT: '0',
      STOWAGE_CHECKSUMS: 'on',
      STOWAGE_WEBHOOK_TARGETS: 'any',
      STOWAGE_SMTP_URL: 'smtp://127.0.0.1:1',
      STOWAGE_MAIL_FROM: 'files@example.com',
    },
    undefined,
    { wrap: (engines) => faulty(engines, faults) },
  )
  const { baseUrl, call } = service
  const receiver = await aWebhookReceiver(t)
  await call('POST', `${API}/webhooks`, { url: receiver.url })
  const bytes = someBytes(1000)
  const file = await anUpload(service, bytes)
  const stuck = await requestSession(baseUrl, { bytes })
  await putParts(stuck, bytes)
  await requestSession(baseUrl, { bytes })
  const alerts = await aPrometheus(t, service.metricsUrl ?? '')
  const load = keepCalling(t, service)

  const expected = new Set<string>()
  async function expectAlert(name: string, begin: () => unknown): Promise<void> {
    // Those of earlier situations may have ended.
    for (const firing of await alerts()) {
      assert.ok(expected.has(firing), `${firing} fires before ${name}`)
    }
    await begin()
    await until(`${name} fires`, async () => (await alerts()).has(name), 60_000)
    expected.add(name)
  }

  await until('Prometheus has scraped the service', async () => (await alerts('up')).size > 0)
  await expectAlert('StowagePoolWaits', () => {
    faults.isPoolBusy = true
  })
  await expectAlert('StowageDiskFull', () => {
    faults.isDiskFilling = true
  })
  await expectAlert('StowageErrors', () => {
    faults.isListBroken = true
  })
  await expectAlert('StowageSlowStorage', () => {
    faults.isStorageSlow = true
  })
  faults.isStorageSlow = false
  await expectAlert('StowageSlowDatabase', () => {
    faults.isDatabaseSlow = true
  })
  faults.isDatabaseSlow = false
  await expectAlert('StowageWebhookBacklog', async () => {
    faults.areWebhooksStuck = true
    await call('PUT', `${API}/assets/${file}`, { filename: 'renamed.bin' })
  })
  await expectAlert('StowageMailBacklog', async () => {
    // No mail server listens on this port.
    const order = { email: 'buyer@example.com', assets: [file], notify: true }
    assert.equal((await call('POST', `${API}/orders`, order)).status, 201)
  })
  await expectAlert('StowageStuckCompletions', async () => {
    faults.isCompletionStuck = true
    const { database } = service.engines
    const [account] = await database.listAccounts()
    await database.of(account?.id ?? '').beginCompletion(stuck.id, { keptForMs: 3_600_000 })
  })
  await expectAlert('StowageJobFails', () => {
    faults.isJobBroken = true
  })
  await expectAlert('StowageJobLag', () => service.context.database.limitExpiry(1))
  await expectAlert('StowageDamagedFiles', async () => {
    const { storage } = service.engines
    await storage.removeObject(file)
    await service.context.database.recordVerification(file, {
      sha256: null,
      dueAt: new Date(Date.now() + 3_600_000),
    })
  })
  await expectAlert('StowageBackupOverdue', async () => {
    const { database } = service.engines
    const backup = { id: randomUUID(), location: '/backups', holdForMs: 1000 }
    await database.beginBackup(backup)
    await pause(3_000)
    assert.equal((await alerts('stowage_backup_age_seconds')).size, 0, 'the backup is not complete')
    await database.endBackup(backup.id, { generation: 'one', files: 1, bytes: 1, damaged: 0 })
  })
  await expectAlert('StowageDatabaseUnavailable', () => {
    faults.isDatabaseGone = true
  })
  load.stop()
  await expectAlert('StowageDown', () => service.close())
  const names = (await readRules()).map(({ alert }) => alert)
  assert.deepEqual([...expected].sort(), names.sort())
})

async function anUpload(service: TestService, bytes: Buffer): Promise<string> {
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  await service.call('POST', `${API}/assets/${session.id}/uploaded`)
  return session.id
}

/** Calls that the alerts about errors and slow calls are computed from. */
function keepCalling(t: TestContext, { call, baseUrl }: TestService) {
  const stop = new AbortController()
  const requests = [
    () => call('GET', `${API}/assets`),
    () => call('GET', `${API}/tags`),
    () => requestSession(baseUrl, { bytes: someBytes(1) }),
  ]
  for (const request of requests) {
    for (let caller = 0; caller < 5; caller += 1) {
      void (async () => {
        while (!stop.signal.aborted) {
          await request().catch(() => {})
          await pause(200)
        }
      })()
    }
  }
  const control = { stop: () => stop.abort() }
  cleanUp(t, control.stop)
  return control
}

/** A minute is a second here. */
function speedUp(rules: string): string {
  return rules
    .replaceAll(/\[(\d+)m\]/g, (_, minutes) => `[${Number(minutes) * 2}s]`)
    .replaceAll('[1h]', '[30s]')
    .replaceAll(/for: (\d+)m/g, 'for: $1s')
    .replaceAll('4 * 3600', '60')
    .replaceAll('> 3600', '> 10')
    .replaceAll('> 36 * 3600', '> 10')
    .replaceAll(/> (600|900)/g, '> 10')
}

/** Starts Prometheus, and returns a function that lists the names of the alerts that fire. */
async function aPrometheus(t: TestContext, metricsUrl: string) {
  const folder = await aFolder(t)
  const port = await freePort()
  await writeFile(join(folder, 'alerts.yml'), speedUp(await readFile(RULES, 'utf8')))
  await writeFile(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: stowage
    static_configs: [{ targets: ['${new URL(metricsUrl).host}'] }]
`,
  )
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  cleanUp(t, () => void child.kill())
  return async (query = 'ALERTS{alertstate="firing"}') => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`
    const response = await fetch(url).catch(() => undefined)
    if (response === undefined || !response.ok) return new Set<string>()
    const { data } = (await response.json()) as {
      data: { result: { metric: { alertname?: string; __name__?: string } }[] }
    }
    return new Set(data.result.map(({ metric }) => metric.alertname ?? metric.__name__ ?? ''))
  }
}
