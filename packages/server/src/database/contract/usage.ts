import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  expireOverdue,
  firstVersion,
  inHours,
  KEEP,
  KEPT,
  NOON,
  OVERDUE,
  reserve,
} from './builders.ts'

const TYPES: Record<string, string[]> = {
  image: ['image/png', 'IMAGE/JPEG', 'image/svg+xml; charset=utf-8'],
  video: ['video/mp4'],
  audio: ['audio/x-wav'],
  document: [
    'text/plain; charset=utf-8',
    'Application/PDF',
    'application/pdf ;x="a;b"',
    'application/epub+zip',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.oasis.opendocument.text',
    'application/vnd.ms-excel',
  ],
  archive: ['application/zip', 'application/x-7z-compressed', 'application/gzip'],
  other: ['application/octet-stream', 'font/woff2', 'imagery/png', 'application/pdfx', 'x/image'],
}

/** The contract for the usage by type. */
export function testUsage({ name, open }: Contract): void {
  test(
    name('every media type belongs to one type, regardless of upper case and parameters'),
    async (t) => {
      const { data } = await open(t, { planStorage: 1e9 })
      for (const [type, mimes] of Object.entries(TYPES)) {
        for (const mime of mimes) {
          const id = await aReadyAsset(data, { size: 7, mime })
          assert.deepEqual(await data.readUsage(), [{ type, bytes: 7, assets: 1 }], mime)
          await data.deleteAsset(id)
        }
      }
      assert.deepEqual(await data.readUsage(), [])
    },
  )

  test(
    name('usage counts only ready assets, counts links with 0 bytes, and lists most bytes first'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const other = database.of((await anAccount(database, 'other', 1000)).id)
      await reserve(data, { size: 500, mime: 'video/mp4' })
      await aReadyAsset(data, { size: 10, mime: 'image/png' })
      await aReadyAsset(data, { size: 20, mime: 'image/gif' })
      await aReadyAsset(data, { size: 40, mime: 'audio/ogg' })
      const link = await aLink(data, { bytes: 99 })
      await aReadyAsset(other, { size: 1, mime: 'image/png' })
      await data.changeAsset(link, { bytes: 77, filename: 'other' })
      assert.deepEqual(await data.readUsage(), [
        { type: 'audio', bytes: 40, assets: 1 },
        { type: 'image', bytes: 30, assets: 2 },
        { type: 'link', bytes: 0, assets: 1 },
      ])
    },
  )

  test(name('a thousand unknown media types are counted in one row'), async (t) => {
    const { data } = await open(t, { planStorage: 1e9 })
    const assets = Array.from({ length: 1000 }, (_, index) => {
      const upload = anUpload({ size: 3, mime: `x-${index}/y-${index}` })
      return {
        asset: { ...upload.asset, status: 'ready' as const },
        upload: { id: upload.id, chunkSize: upload.chunkSize, expiresAt: upload.expiresAt },
        idempotency: undefined,
        changedAt: NOON,
        productIds: [],
        ...firstVersion(upload),
      }
    })
    await data.importRecords({ keys: [], assets })
    await data.importRecords({ keys: [], assets })
    assert.deepEqual(await data.readUsage(), [{ type: 'other', bytes: 3000, assets: 1000 }])
  })

  test(
    name('completing and deleting concurrently keeps the usage exact and does not deadlock'),
    async (t) => {
      const { data } = await open(t, { planStorage: 1e9 })
      const some = Array.from({ length: 30 }, (_, size) => ({ size, mime: 'image/png' }))
      const ready = await Promise.all(some.map((facts) => aReadyAsset(data, facts)))
      const coming = await Promise.all(some.map((facts) => reserve(data, facts)))
      const begun = coming.map(({ upload }) => upload.asset.id)
      for (const id of begun) await data.beginCompletion(id, KEPT)
      await Promise.all([
        ...ready.map((id) => data.deleteAsset(id)),
        ...begun.map((id) => data.finishCompletion(id, KEEP)),
        ...some.map(() => aLink(data)),
      ])
      const usage = await data.readUsage()
      const { stored, assets } = await data.readSummary()
      assert.equal(
        usage.reduce((sum, { bytes }) => sum + bytes, 0),
        stored,
      )
      assert.equal(
        usage.reduce((sum, each) => sum + each.assets, 0),
        assets,
      )
    },
  )

  test(name('after any operations the usage equals the sum of the rows'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1e9 })
    await data.putProducts([aProduct()])
    const mime = fc.constantFrom(...Object.values(TYPES).flat())
    const step = fc.record({ kind: fc.nat(6), mime, size: fc.nat(50), pick: fc.nat(20) })
    const operations = fc.array(step, { minLength: 5, maxLength: 15 })
    const ready: string[] = []
    await fc.assert(
      fc.asyncProperty(operations, async (steps) => {
        for (const one of steps) await takeStep({ database, data, ready }, one)
        for (const { counted, actual } of await database.compareUsage()) {
          assert.deepEqual(counted, actual)
        }
      }),
      { numRuns: 10 },
    )
  })
}

interface Step {
  kind: number
  mime: string
  size: number
  pick: number
}

async function takeStep(
  { database, data, ready }: { database: Database; data: AccountData; ready: string[] },
  { kind, mime, size, pick }: Step,
): Promise<void> {
  const id = ready[pick % Math.max(1, ready.length)] ?? anUpload().asset.id
  if (kind === 0) ready.push(await aReadyAsset(data, { size, mime }))
  else if (kind === 1) ready.push(await aLink(data, { bytes: size }))
  else if (kind === 2) await data.deleteAsset(id)
  else if (kind === 3) await data.changeAsset(id, { filename: `${size}.zip` })
  else if (kind === 4) {
    await data.attachProducts(id, { productIds: [1], variantIds: [], ids: [], skus: [] })
  } else if (kind === 5) {
    const { upload } = await reserve(data, { size, mime, ...OVERDUE })
    await data.beginCompletion(upload.asset.id, OVERDUE)
    await data.abandonCompletion(upload.asset.id, 0)
  } else {
    await reserve(data, { size, mime, ...OVERDUE })
    await expireOverdue(database)
    await database.forgetEndedAssets(inHours(2), 10)
  }
}
