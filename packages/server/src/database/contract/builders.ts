import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { v7 as newUuid } from 'uuid'
import { type Asset, NOT_VERIFIED, type Replacement, type Upload } from '../../domain/asset.ts'
import type { Product, ProductSelection } from '../../domain/product.ts'
import type { NewUploadToken } from '../../domain/upload-token.ts'
import type { Attempt, Delivery } from '../../domain/webhook.ts'
import type { AccountData, AssetChange, AssetSort, Reservation } from '../account-data.ts'
import type { Account, Database } from '../database.ts'
import type {
  AttemptResult,
  ClaimedDelivery,
  ClaimLimits,
  NewDelivery,
  NewWebhook,
  WebhookHealth,
} from '../event-data.ts'
import { checkEvents } from './check-events.ts'

export type OpenDatabase = (t: TestContext) => Promise<Database>

/** The input of each part of the contract: how to open the engine, and how to name its tests. */
export interface Contract {
  name: (sentence: string) => string
  open: (t: TestContext, options?: { planStorage?: number }) => Promise<Opened>
}

export interface Opened {
  database: Database
  account: Account
  data: AccountData
}

export const NOON = new Date('2026-01-31T12:00:00.000Z')
export const NEWEST: AssetSort = { by: 'created_at', descending: true }

export function after(hours: number): Date {
  return new Date(NOON.getTime() + hours * 3_600_000)
}

/** A time from now, by the database's clock, which is this machine's. */
export function inHours(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000)
}

/**
 * Opens an engine with the account `default`. After each test all counters must be correct, and replaying the events
 * must give the state of the account, except after imports, which record no events, and after events were removed.
 */
export function contractOf(engine: string, openEngine: OpenDatabase): Contract {
  return {
    name: (sentence) => `${engine}: ${sentence}`,
    async open(t, { planStorage = 100 } = {}) {
      const database = await openEngine(t)
      const account = await anAccount(database, 'default', planStorage)
      const data = database.of(account.id)
      let hasImports = false
      cleanUp(t, async () => {
        for (const { counted, actual, wrongBlocks, wrongTags } of await database.compareUsage()) {
          assert.deepEqual(counted, actual)
          assert.equal(wrongBlocks, 0)
          assert.equal(wrongTags, 0)
        }
        assert.deepEqual(await database.compareDownloads(10), [])
        assert.deepEqual(await database.compareBulkJobs(10), [])
        const { forgottenId } = await data.listEvents({ after: 0, limit: 1 })
        if (!hasImports && forgottenId === 0) await checkEvents(database, account.id)
      })
      const importRecords: AccountData['importRecords'] = (records) => {
        hasImports = true
        return data.importRecords(records)
      }
      return { database, account, data: { ...data, importRecords } }
    },
  }
}

export function anAccount(database: Database, name: string, planStorage = 100): Promise<Account> {
  const details = { id: newUuid(), name, planName: 'test', planStorage }
  return database.ensureAccount({ ...details, createdAt: NOON })
}

interface UploadFacts {
  accountId?: string
  size?: number
  filename?: string
  mime?: string
  keptForMs?: number
  path?: string | null
  tags?: string[]
  replaces?: Replacement
  /** The upload token that starts it. */
  tokenId?: string
  /** The declared digest. */
  sha256?: string
}

/** An upload that does not expire during a test. */
export const KEPT = { keptForMs: 12 * 3_600_000 }
/** The previous version is kept. */
export const KEEP = { keepVersions: 1, withhold: true }
/** An upload that expires immediately. */
export const OVERDUE = { keptForMs: -1 }

export function anUpload(facts: UploadFacts = {}): Upload {
  const { accountId = '', size = 60, filename = 'a.zip' } = facts
  const { mime = 'application/zip', path = null, tags = [] } = facts
  const uploadId = newUuid()
  const id = newUuid()
  return {
    status: 'uploading',
    asset: {
      id,
      accountId,
      kind: 'file',
      filename,
      bytes: size,
      mime,
      url: null,
      createdAt: NOON,
      updatedAt: NOON,
      version: 1,
      path,
      tags,
      isInline: false,
      integrity: { ...NOT_VERIFIED, sha256: facts.sha256 ?? null },
    },
    replaces: facts.replaces ?? null,
    key: id,
    id: uploadId,
    storageId: uploadId,
    chunkSize: 100,
    tokenId: facts.tokenId ?? null,
    startedBy: null,
    expiresAt: after(12),
  }
}

/** The version of an imported asset that was never replaced. */
export function firstVersion({ asset }: Pick<Upload, 'asset'>) {
  return { key: asset.id, versionCreatedAt: NOON, lastVersion: 1, versions: [] }
}

/** Expires all overdue uploads and returns their number. */
export async function expireOverdue(database: Database): Promise<number> {
  const overdue = await database.listOverdueUploads(100)
  const ids = overdue.map(({ asset }) => asset.id)
  return (await database.expireUploads(ids)).length
}

export async function reserve(data: AccountData, facts: UploadFacts = {}) {
  const upload = anUpload(facts)
  const { outcome } = await data.reserveUpload({ upload, ...KEPT, ...facts })
  return { upload, outcome }
}

export async function aReadyAsset(data: AccountData, facts: UploadFacts = {}): Promise<string> {
  const { upload, outcome } = await reserve(data, { size: 0, ...facts })
  assert.equal(outcome, 'reserved')
  await data.beginCompletion(upload.asset.id, KEPT)
  assert.equal(await data.finishCompletion(upload.asset.id, KEEP), 'ready')
  return upload.asset.id
}

interface LinkFacts {
  filename?: string
  bytes?: number
  path?: string | null
  tags?: string[]
}

export async function aLink(
  data: AccountData,
  { filename = 'a link', bytes = 5, path = null, tags = [] }: LinkFacts = {},
): Promise<string> {
  const { asset } = anUpload({ filename, path, tags })
  const url = 'https://example.com/x'
  await data.addLink({ ...asset, kind: 'link', status: 'ready', bytes, url })
  return asset.id
}

export async function change(
  data: AccountData,
  id: string,
  changes: AssetChange,
): Promise<Asset | undefined> {
  const changed = await data.changeAsset(id, changes)
  assert.notEqual(changed, 'too_many_tags')
  return changed as Asset | undefined
}

/** An account with all counters above zero. */
export async function aBusyAccount(database: Database): Promise<Opened> {
  const account = await anAccount(database, 'default', 1000)
  const data = database.of(account.id)
  await aReadyAsset(data, { size: 7 })
  await reserve(data, { size: 60 })
  await aLink(data)
  return { database, account, data }
}

export function aProduct(facts: Partial<Product> = {}): Product {
  return {
    id: newUuid(),
    productId: 1,
    variantId: 11,
    name: 'Sample pack',
    variantName: 'WAV',
    sku: 'PACK-WAV',
    vendor: 'Sounds',
    tags: ['audio'],
    ...facts,
  }
}

export async function usageOf(data: AccountData) {
  const { limit, stored, reserved } = await data.readSummary()
  return { limit, stored, reserved }
}

const DAY_MS = 24 * 3_600_000

export function aWebhook(details: Partial<NewWebhook> = {}): NewWebhook {
  return {
    id: newUuid(),
    url: 'https://shop.example/hook',
    description: '',
    types: null,
    secret: 'whsec_one',
    createdAt: NOON,
    ...details,
  }
}

export async function addWebhook(data: AccountData, details: Partial<NewWebhook> = {}) {
  const webhook = await data.addWebhook(aWebhook(details), 100)
  assert.ok(webhook)
  return webhook
}

export function aDelivery(details: Partial<NewDelivery> = {}): NewDelivery {
  const delivery = { id: newUuid(), eventId: null, type: 'asset.ready', body: '{}' }
  return { ...delivery, createdAt: NOON, ...details }
}

/** Queues deliveries of the next events of a webhook. The events need not exist. */
export async function queue(
  database: Database,
  webhookId: string,
  count: number,
  details: Partial<NewDelivery> = {},
): Promise<NewDelivery[]> {
  const webhooks = await database.listAllWebhooks(undefined, 100)
  const after = webhooks.find(({ id }) => id === webhookId)?.lastEvent ?? 0
  const deliveries = Array.from({ length: count }, (_, index) =>
    aDelivery({ eventId: after + index + 1, ...details }),
  )
  const range = { after, until: after + count }
  assert.ok(await database.addDeliveries(webhookId, range, deliveries))
  return deliveries
}

export const LIMITS: ClaimLimits = {
  limit: 100,
  perWebhook: 100,
  maxBytes: 1_000_000,
  maxBytesPerAccount: 1_000_000,
  runningBytes: new Map(),
}

/** Claims the deliveries that are due at this time, for a minute. */
export function claimAt(
  database: Database,
  now: Date,
  { health = 'working', ...limits }: Partial<ClaimLimits> & { health?: WebhookHealth } = {},
): Promise<ClaimedDelivery[]> {
  const claimedUntil = new Date(now.getTime() + 60_000)
  return database.claimDeliveries(health, { now, claimedUntil }, { ...LIMITS, ...limits })
}

export function anAttempt(details: Partial<Attempt> = {}): Attempt {
  return {
    at: NOON,
    url: 'https://shop.example/hook',
    status: 200,
    durationMs: 5,
    error: null,
    response: 'ok',
    ...details,
  }
}

export const SUCCESS: AttemptResult = { outcome: 'succeeded', attempt: anAttempt() }

/** A failed attempt at this time. Unless it is the last one, the next one follows an hour later. */
export function failureAt(
  at: Date,
  details: { isGone?: boolean; isLast?: boolean } = {},
): AttemptResult {
  const { isGone = false, isLast = false } = details
  return {
    outcome: 'failed',
    attempt: anAttempt({ at, status: 500, response: 'broken' }),
    retryAt: isLast ? undefined : new Date(at.getTime() + 3_600_000),
    isGone,
    failingForMs: 3 * DAY_MS,
  }
}

export async function readDelivery(
  data: AccountData,
  { webhookId, id }: Pick<Delivery, 'webhookId' | 'id'>,
): Promise<Delivery> {
  const delivery = await data.findDelivery(webhookId, id)
  assert.ok(delivery)
  return delivery
}

const HOUR_MS = 3_600_000

export function select(selection: Partial<ProductSelection>): ProductSelection {
  return { productIds: [], variantIds: [], ids: [], skus: [], ...selection }
}

export function aToken(limits: Partial<NewUploadToken> = {}): NewUploadToken {
  const id = newUuid()
  return {
    id,
    hash: `hash of ${id}`,
    keyHash: 'hash of a key',
    createdBy: null,
    maxBytes: 100,
    maxFiles: 10,
    mediaTypes: null,
    origin: null,
    attach: null,
    replaces: null,
    ...limits,
  }
}

export async function addToken(
  data: AccountData,
  limits: Partial<NewUploadToken> = {},
  lifetimeMs = HOUR_MS,
): Promise<NewUploadToken> {
  const token = aToken(limits)
  const { outcome } = await data.addUploadToken(token, { lifetimeMs, maxTokens: 100 })
  assert.equal(outcome, 'added')
  return token
}

/** Reserves an upload of the token. */
export async function reserveWith(
  data: AccountData,
  tokenId: string,
  facts: { size?: number; keptForMs?: number; replaces?: string; key?: string } = {},
): Promise<{ id: string; reservation: Reservation }> {
  const { size = 10, keptForMs = KEPT.keptForMs, replaces, key } = facts
  const replaced = replaces && { replaces: { assetId: replaces, keepsName: true } }
  const upload = anUpload({ size, tokenId, ...replaced })
  const reservation = await data.reserveUpload({
    upload,
    keptForMs,
    ...(key && { idempotency: { key, digest: 'same' } }),
  })
  return { id: upload.asset.id, reservation }
}

export async function complete(data: AccountData, id: string): Promise<void> {
  await data.beginCompletion(id, KEPT)
  assert.equal(await data.finishCompletion(id, KEEP), 'ready')
}

export function exceeded(bytes: number, files: number): Reservation {
  return { outcome: 'token_exceeded', remaining: { bytes, files } }
}

export async function outcomeOf(
  data: AccountData,
  tokenId: string,
  size: number,
): Promise<Reservation> {
  return (await reserveWith(data, tokenId, { size })).reservation
}

interface ReplacementFacts {
  size?: number
  filename?: string
  mime?: string
  keepsName?: boolean
  /** The declared digest. */
  sha256?: string
}

/** Starts a replacement and returns the ID of its row, its upload ID and the outcome. */
export async function startReplacement(
  data: AccountData,
  assetId: string,
  { keepsName = true, ...facts }: ReplacementFacts = {},
) {
  const upload = anUpload({ size: 10, ...facts, replaces: { assetId, keepsName } })
  const reservation = await data.reserveUpload({ upload, ...KEPT })
  return { id: upload.asset.id, uploadId: upload.id, reservation }
}

export async function replace(
  data: AccountData,
  assetId: string,
  facts?: ReplacementFacts,
  keep = 1,
) {
  const { id, reservation } = await startReplacement(data, assetId, facts)
  assert.equal(reservation.outcome, 'reserved')
  await data.beginCompletion(id, KEPT)
  assert.equal(await data.finishCompletion(id, { keepVersions: keep, withhold: true }), 'ready')
  return id
}

export async function numbersOf(data: AccountData, assetId: string) {
  const versions = await data.listVersions(assetId)
  return versions?.map(({ version, isCurrent }) => (isCurrent ? `${version}*` : `${version}`))
}
