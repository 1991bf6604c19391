import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { v7 as newUuid } from 'uuid'
import { NOT_VERIFIED, type Replacement, type Upload } from '../../domain/asset.ts'
import type { Product } from '../../domain/product.ts'
import type { AccountData, AssetSort } from '../account-data.ts'
import type { Account, Database } from '../database.ts'
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
        for (const { counted, actual, wrongBlocks } of await database.compareUsage()) {
          assert.deepEqual(counted, actual)
          assert.equal(wrongBlocks, 0)
        }
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
  const { mime = 'application/zip', path = null } = facts
  const uploadId = newUuid()
  const id = newUuid()
  return {
    asset: {
      id,
      accountId,
      kind: 'file',
      status: 'uploading',
      filename,
      bytes: size,
      mime,
      url: null,
      createdAt: NOON,
      updatedAt: NOON,
      version: 1,
      path,
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
}

export async function aLink(
  data: AccountData,
  { filename = 'a link', bytes = 5, path = null }: LinkFacts = {},
): Promise<string> {
  const { asset } = anUpload({ filename, path })
  const url = 'https://example.com/x'
  await data.addLink({ ...asset, kind: 'link', status: 'ready', bytes, url })
  return asset.id
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
