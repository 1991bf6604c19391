import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, anAccount } from '@stowage/testing/service/accounts'
import { aDeployment, aService, type Deployment } from '@stowage/testing/service/service'
import { aServiceProcess, type ServiceProcess } from '@stowage/testing/service/service-process'
import { storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'
import { type DocumentedOperation, readDocument } from './generator-context.ts'

/** The service under test. */
export interface Target {
  service: ServiceProcess
  operations: DocumentedOperation[]
  hosts: { api: string; storage: string }
  key: string
  /**
   * The key of a separate account, for the call that deletes all assets. In the account of the other calls, it
   * would delete the assets that they use.
   */
  emptiedKey: string
  /** Random requests hardly ever create these, but they can be read and changed. */
  orders: { id: string; token: string; assetId: string }[]
  uploadTokens: string[]
  bulk: string[]
  mails: string[]
  products: string[]
  /** Whether the service has a port for the disk storage. */
  hasStorage: boolean
  /** Throws if the process has exited. */
  checkAlive(): void
}

const WATCHES = ['./prototype-watch.ts', './memory-report.ts'].map(
  (file) => `--import=${new URL(file, import.meta.url).href}`,
)

const KEYED = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
export const EMPTIED_ASSETS = 3
const ORDERS = 20
const TOKENS = 10
const PRODUCTS = 10
/** Must not become markup of a page. */
const MARKUP = '<img src=x onerror=alert(1)>'

async function addEmptiedAccount(t: TestContext, deployment: Deployment): Promise<string> {
  const service = await aService(t, KEYED, deployment)
  const { keys, call } = await anAccount(service, { name: 'emptied' })
  for (let count = 0; count < EMPTIED_ASSETS; count += 1) await storeLink({ ...service, call })
  await service.close()
  return keys.manage.secret
}

type Resources = Pick<Target, 'orders' | 'uploadTokens' | 'bulk' | 'mails' | 'products'>

async function addResources(baseUrl: string): Promise<Resources> {
  const call = async (path: string, body: object, method = 'POST') => {
    const headers = { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' }
    const init = { method, headers, body: JSON.stringify(body) }
    const { id, data } = await (await fetch(`${baseUrl}${API}${path}`, init)).json()
    return data ?? { id }
  }
  const orders: Target['orders'] = []
  for (let count = 0; count < ORDERS; count += 1) {
    const asset = await call('/assets/store', { filename: MARKUP, url: 'https://a.example' })
    const { id, url } = await call('/orders', {
      assets: [asset.id],
      order_number: MARKUP,
      max_downloads: 2,
    })
    orders.push({ id, token: tokenOf(url), assetId: asset.id })
  }
  const uploadTokens: string[] = []
  // Some of them are revoked early.
  for (let count = 0; count < TOKENS; count += 1) {
    uploadTokens.push((await call('/upload-tokens', { max_bytes: 1000 })).id)
  }
  const change = { action: 'tag', tags: ['a'], filter: { filename: 'none' }, expected: 0 }
  const bulk = await call('/bulk', change)
  await call('/orders', { assets: [orders[0]?.assetId], email: 'buyer@example.com', notify: true })
  const headers = { Authorization: `Bearer ${ADMIN_KEY}` }
  const listed = await (await fetch(`${baseUrl}${API}/mails`, { headers })).json()
  const mails = listed.data.map(({ id }: { id: string }) => id)
  assert.equal(mails.length, 1)
  const products = Array.from({ length: PRODUCTS }, (_, index) => ({
    product_id: 1,
    variant_id: index + 1,
    name: MARKUP,
  }))
  const put: { id: string }[] = await call('/products', { products }, 'PUT')
  assert.ok(bulk.id && uploadTokens.every((id) => id !== undefined))
  return { orders, uploadTokens, bulk: [bulk.id], mails, products: put.map(({ id }) => id) }
}

/** The token in the URL of a download page. */
export function tokenOf(url: string): string {
  return new URL(url).pathname.replace('/d/', '')
}

/** Starts the service as a process that reports its memory, and at its exit any polluted prototypes. */
export async function startTarget(t: TestContext): Promise<Target> {
  const deployment = await aDeployment(t)
  const emptiedKey = await addEmptiedAccount(t, deployment)
  const settings = {
    ...KEYED,
    STOWAGE_PLAN_STORAGE: '1GB',
    STOWAGE_LOG: 'warn',
    STOWAGE_WEBHOOK_TARGETS: 'any',
    // No mail server listens there, so mails stay queued.
    STOWAGE_SMTP_URL: 'smtp://127.0.0.1:9',
    STOWAGE_MAIL_FROM: 'files@example.com',
    NODE_OPTIONS: WATCHES.join(' '),
    ...(!isOnS3 && { STOWAGE_CHUNK_SIZE: '16' }),
  }
  const service = await aServiceProcess(t, settings, deployment)
  const resources = await addResources(service.baseUrl)
  const document = await (await fetch(`${service.baseUrl}/openapi.json`)).json()
  return {
    service,
    operations: readDocument(document),
    hosts: { api: new URL(service.baseUrl).host, storage: new URL(service.storageUrl).host },
    key: ADMIN_KEY,
    emptiedKey,
    ...resources,
    hasStorage: !isOnS3,
    checkAlive() {
      const { exitCode, signalCode } = service.child
      if (exitCode === null && signalCode === null) return
      throw new Error(`the service ended (${exitCode ?? signalCode}): ${service.output().stderr}`)
    },
  }
}

/** Caches may grow by this much after the first tenth of a run. More is a leak. */
const MAX_GROWTH = 40_000_000

/** The memory of the service's threads after garbage collection, in bytes. 0 on Windows, which has no SIGUSR2. */
export async function readLiveMemory({ service, hasStorage }: Target): Promise<number> {
  if (process.platform === 'win32') return 0
  const threads = hasStorage ? 2 : 1
  const reports = () => service.output().stdout.match(/^memory .*$/gm) ?? []
  const before = reports().length
  process.kill(service.pid, 'SIGUSR2')
  await until('every thread reports its memory', () => reports().length >= before + threads)
  const latest = reports().slice(before)
  return latest.reduce((sum, line) => sum + JSON.parse(line.slice('memory '.length)).used, 0)
}

/** Fails if the memory in use grows with the number of requests. */
export function checkGrowth(live: number[]): void {
  const growth = (live.at(-1) ?? 0) - (live[0] ?? 0)
  assert.ok(growth < MAX_GROWTH, `the memory in use grew by ${Math.round(growth / 1e6)} MB`)
}
