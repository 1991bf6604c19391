import assert from 'node:assert/strict'
import { v7 as newUuid } from 'uuid'
import type { ProductSelection } from '../../domain/product.ts'
import type { AccountData } from '../account-data.ts'
import {
  addToken,
  addWebhook,
  aLink,
  anUpload,
  aProduct,
  aReadyAsset,
  aToken,
  expireOverdue,
  inHours,
  KEEP,
  KEPT,
  NOON,
  type Opened,
  OVERDUE,
  replace,
  reserve,
  select,
  startReplacement,
} from './builders.ts'

interface EventCase {
  /** Continues the name of the test: `events of …`. */
  sentence: string
  /** Prepares the state. Returns the work that must record the events. */
  prepare: (opened: Opened) => Promise<() => Promise<unknown>>
  /** The types of the events that the work must record. */
  recorded: string[]
}

const NONE: ProductSelection = { ids: [], productIds: [], variantIds: [], skus: [] }
const FIRST: ProductSelection = { ...NONE, productIds: [1] }
const SHA256 = 'a'.repeat(64)

function aKey(scope: 'read' | 'manage') {
  return { id: newUuid(), name: 'shop', scope, hash: newUuid(), hint: 'abcd', createdAt: NOON }
}

async function aTrashedAsset(data: AccountData): Promise<string> {
  const id = await aReadyAsset(data, { size: 5 })
  await data.trashAssets([id])
  return id
}

/** An asset that is attached to product 1. */
async function anAttachedAsset(data: AccountData): Promise<string> {
  const id = await aReadyAsset(data)
  await data.putProducts([aProduct()])
  await data.attachProducts(id, FIRST)
  return id
}

/** The events of assets, the trash, products, keys, webhooks, upload tokens and the plan. */
export const ASSET_EVENT_CASES: EventCase[] = [
  {
    sentence:
      'an asset with an unfinished replacement that is moved to the trash, restored and removed',
    async prepare({ data }) {
      const id = await aReadyAsset(data)
      await startReplacement(data, id)
      return async () => {
        await data.trashAssets([id])
        await data.trashAssets([id])
        await data.restoreAssets([id])
        await data.restoreAssets([id])
        await data.deleteAsset(id)
        await data.deleteAsset(id)
      }
    },
    recorded: [
      'upload.cancelled',
      'asset.deleted',
      'asset.restored',
      'asset.deleted',
      'asset.removed',
    ],
  },
  {
    sentence: 'assets that are deleted in bulk, one of them from the trash',
    async prepare({ data }) {
      const ids = [await aLink(data), await aTrashedAsset(data)]
      return () => data.deleteAssets(ids)
    },
    recorded: ['asset.deleted', 'asset.removed', 'asset.removed'],
  },
  {
    sentence: 'bulk calls with an unknown ID',
    async prepare({ data }) {
      const ids = [await anAttachedAsset(data), newUuid()]
      return async () => {
        await data.trashAssets(ids)
        await data.deleteAssets(ids)
        await data.restoreAssets(ids)
        await data.detachAssets(ids, FIRST)
      }
    },
    recorded: [],
  },
  {
    sentence: 'the trash that is emptied',
    async prepare({ data }) {
      await aTrashedAsset(data)
      return () => data.emptyTrash(inHours(1))
    },
    recorded: ['asset.removed'],
  },
  {
    sentence: 'old trash that a job removes',
    async prepare({ database, data }) {
      await aTrashedAsset(data)
      return () => database.removeOldTrash(-1)
    },
    recorded: ['asset.removed'],
  },
  {
    sentence: 'trash that is removed to make room for an upload',
    async prepare({ data }) {
      const id = await aReadyAsset(data, { size: 60 })
      await data.trashAssets([id])
      return () => reserve(data, { size: 50 })
    },
    recorded: ['asset.removed', 'upload.started'],
  },
  {
    sentence: 'all assets that are moved to the trash',
    async prepare({ data }) {
      await aLink(data)
      await aReadyAsset(data)
      return async () => {
        await data.beginTrashAll()
        await data.continueTrashAll()
        await data.continueTrashAll()
      }
    },
    recorded: ['asset.deleted', 'asset.deleted'],
  },
  {
    sentence: 'products that are added, changed and left as they are',
    async prepare({ data }) {
      const products = [1, 2].map((variantId) => aProduct({ variantId }))
      return async () => {
        await data.putProducts(products)
        await data.putProducts(products)
        await data.putProducts(products.map((product) => ({ ...product, name: 'x' })))
        await data.putProducts([{ ...aProduct({ variantId: 1 }), name: 'x', tags: ['new'] }])
        await data.putProducts([{ id: newUuid(), productId: 1, variantId: 2, name: 'x' }])
        await data.putProducts([{ id: newUuid(), productId: 1, variantId: 2, name: 'x', sku: '' }])
      }
    },
    recorded: Array(6).fill('product.updated'),
  },
  {
    sentence: 'a product that is attached twice and detached twice',
    async prepare({ data }) {
      const id = await aReadyAsset(data)
      await data.putProducts([aProduct()])
      return async () => {
        await data.attachProducts(id, FIRST)
        await data.attachProducts(id, FIRST)
        await data.detachProducts(id, FIRST)
        await data.detachProducts(id, FIRST)
        await data.attachProducts(id, { ...NONE, productIds: [1, 2] })
      }
    },
    recorded: ['asset.attached', 'asset.detached'],
  },
  {
    sentence: 'several assets that are attached, one of them again',
    async prepare({ data }) {
      const ids = [await anAttachedAsset(data), await aLink(data), await aLink(data)]
      return () => data.attachAssets(ids, FIRST)
    },
    recorded: ['asset.attached', 'asset.attached'],
  },
  {
    sentence: 'files of a product that are arranged twice, and a list with another file',
    async prepare({ data }) {
      const [id, second] = [await anAttachedAsset(data), await anAttachedAsset(data)]
      const other = await aLink(data)
      return async () => {
        await data.arrangeFiles(1, [second, id])
        await data.arrangeFiles(1, [second, id])
        await data.arrangeFiles(1, [other, id])
        await data.arrangeFiles(1, [])
      }
    },
    recorded: ['product.arranged', 'product.arranged'],
  },
  {
    sentence: 'a product that is deleted twice, with an attached asset',
    async prepare({ data }) {
      await anAttachedAsset(data)
      const { rows } = await data.listProducts({ page: 1, perPage: 1 })
      return async () => {
        await data.deleteProduct(rows[0]?.id ?? '')
        await data.deleteProduct(rows[0]?.id ?? '')
      }
    },
    recorded: ['product.deleted'],
  },
  {
    sentence: 'keys that are created and revoked, except for the last manage key',
    async prepare({ data }) {
      const read = aKey('read')
      const manage = aKey('manage')
      return async () => {
        await data.addKey(read, 10)
        await data.addKey(manage, 2)
        assert.equal(await data.addKey(aKey('read'), 2), undefined)
        await data.revokeKey(read.id, { now: NOON, keepLast: true })
        assert.equal(await data.revokeKey(read.id, { now: NOON, keepLast: true }), 'revoked')
        await data.revokeKey(manage.id, { now: NOON, keepLast: true })
      }
    },
    recorded: ['key.created', 'key.created', 'key.revoked'],
  },
  {
    sentence: 'a webhook that is created, changed, not changed, rotated and deleted',
    async prepare({ data }) {
      return async () => {
        const { id } = await addWebhook(data)
        await data.changeWebhook(id, { description: 'new' }, NOON)
        await data.changeWebhook(id, { description: 'new' }, NOON)
        const validUntil = inHours(1)
        await data.rotateSecret(id, { secret: 'two', now: NOON, validUntil, maxPrevious: 1 })
        await data.deleteWebhook(id)
        await data.deleteWebhook(id)
      }
    },
    recorded: ['webhook.created', 'webhook.updated', 'webhook.updated', 'webhook.deleted'],
  },
  {
    sentence: 'an upload token that is revoked twice, and one for unknown products',
    async prepare({ data }) {
      return async () => {
        const { id } = await addToken(data)
        await data.revokeUploadToken(id)
        await data.revokeUploadToken(id)
        await data.addUploadToken(aToken({ attach: select({ productIds: [1] }) }), {
          lifetimeMs: 1000,
          maxTokens: 10,
        })
      }
    },
    recorded: ['token.created', 'token.revoked'],
  },
  {
    sentence: 'a file that is damaged, read again and repaired',
    async prepare({ database, data }) {
      const id = await aReadyAsset(data, { sha256: SHA256 })
      const dueAt = inHours(1)
      return async () => {
        for (const sha256 of [SHA256, SHA256, null, 'b'.repeat(64), SHA256]) {
          await database.recordVerification(id, { sha256, dueAt })
        }
      }
    },
    recorded: ['asset.damaged', 'asset.updated'],
  },
  {
    sentence:
      'usage that crosses 90 % of the plan, first by a larger upload, then by a smaller plan',
    async prepare({ database, account, data }) {
      return async () => {
        const { upload } = await reserve(data, { size: 89 })
        await data.resizeUpload(upload.asset.id, 90)
        await reserve(data, { size: 5 })
        await database.changePlan(account.id, { name: 'large', storage: 1000 })
        await database.changePlan(account.id, { name: 'small', storage: 100 })
      }
    },
    recorded: [
      'upload.started',
      'upload.updated',
      'account.storage_low',
      'upload.started',
      'account.storage_low',
    ],
  },
]

/** The events of uploads, links, replacements and versions. */
export const UPLOAD_EVENT_CASES: EventCase[] = [
  {
    sentence: 'an upload',
    prepare:
      async ({ data }) =>
      () =>
        reserve(data),
    recorded: ['upload.started'],
  },
  {
    sentence: 'a repeated request for an upload',
    async prepare({ data }) {
      const upload = { upload: anUpload(), ...KEPT, idempotency: { key: 'k', digest: 'd' } }
      await data.reserveUpload(upload)
      return () => data.reserveUpload(upload)
    },
    recorded: [],
  },
  {
    sentence: 'an upload that the plan refuses',
    prepare:
      async ({ data }) =>
      () =>
        reserve(data, { size: 101 }),
    recorded: [],
  },
  {
    sentence: 'an upload that could not be created in the storage',
    async prepare({ data }) {
      const { upload } = await reserve(data)
      return () => data.dropReservation(upload.asset.id)
    },
    recorded: ['upload.cancelled'],
  },
  {
    sentence: 'a changed size of an upload, and the same size again',
    async prepare({ data }) {
      const { upload } = await reserve(data)
      return async () => {
        await data.resizeUpload(upload.asset.id, 10)
        await data.resizeUpload(upload.asset.id, 10)
      }
    },
    recorded: ['upload.updated'],
  },
  {
    sentence: 'a completion that starts, fails, starts again and is finished twice',
    async prepare({ data }) {
      const { upload } = await reserve(data)
      const { id } = upload.asset
      return async () => {
        await data.beginCompletion(id, KEPT)
        await data.reopenUpload(id)
        await data.beginCompletion(id, KEPT)
        await data.finishCompletion(id, KEEP)
        await data.finishCompletion(id, KEEP)
      }
    },
    recorded: ['asset.ready'],
  },
  {
    sentence: 'an upload that is cancelled twice',
    async prepare({ data }) {
      const { upload } = await reserve(data)
      return async () => {
        await data.cancelUpload(upload.asset.id)
        await data.cancelUpload(upload.asset.id)
      }
    },
    recorded: ['upload.cancelled'],
  },
  {
    sentence: 'uploads that expire',
    async prepare({ database, data }) {
      await reserve(data, { size: 1, ...OVERDUE })
      await reserve(data, { size: 1, ...OVERDUE })
      return () => expireOverdue(database)
    },
    recorded: ['upload.expired', 'upload.expired'],
  },
  {
    sentence: 'a completion that expires',
    async prepare({ data }) {
      const { upload } = await reserve(data)
      await data.beginCompletion(upload.asset.id, OVERDUE)
      return () => data.abandonCompletion(upload.asset.id, 0)
    },
    recorded: ['upload.expired'],
  },
  {
    sentence: 'a link',
    prepare:
      async ({ data }) =>
      () =>
        aLink(data),
    recorded: ['asset.ready'],
  },
  {
    sentence: 'a new name, a file that buyers may open, and a change without fields',
    async prepare({ data }) {
      const id = await aReadyAsset(data)
      return async () => {
        await data.changeAsset(id, { filename: 'b.zip' })
        await data.changeAsset(id, { isInline: true })
        await data.changeAsset(id, { isInline: false, filename: 'c.zip' })
        await data.changeAsset(id, {})
      }
    },
    recorded: ['asset.updated', 'asset.updated', 'asset.updated'],
  },
  {
    sentence: 'assets whose tags change',
    async prepare({ data }) {
      const ids = [await aReadyAsset(data, { tags: ['a'] }), await aReadyAsset(data)]
      return async () => {
        await data.tagAssets(ids, ['A', 'b'])
        await data.tagAssets(ids, ['a'])
        await data.untagAssets(ids, ['a'])
        await data.untagAssets(ids, ['a'])
      }
    },
    recorded: ['asset.updated', 'asset.updated', 'asset.updated', 'asset.updated'],
  },
  {
    sentence: 'a replaced file',
    async prepare({ data }) {
      const id = await aReadyAsset(data)
      return () => replace(data, id)
    },
    recorded: ['upload.started', 'asset.replaced'],
  },
  {
    sentence: 'a replacement that removes the oldest version',
    async prepare({ data }) {
      const id = await aReadyAsset(data)
      await replace(data, id)
      return () => replace(data, id)
    },
    recorded: ['upload.started', 'asset.replaced', 'version.deleted'],
  },
  {
    sentence: 'a replacement that is finished after its asset was deleted',
    async prepare({ data }) {
      const asset = await aReadyAsset(data)
      const { id } = await startReplacement(data, asset)
      await data.beginCompletion(id, KEPT)
      await data.trashAssets([asset])
      return () => data.finishCompletion(id, KEEP)
    },
    recorded: ['upload.cancelled'],
  },
  {
    sentence: 'a restored version, the same one again, and a deleted version',
    async prepare({ data }) {
      const id = await aReadyAsset(data)
      await replace(data, id)
      return async () => {
        await data.restoreVersion(id, 1)
        await data.restoreVersion(id, 1)
        await data.deleteVersion(id, 2)
        await data.deleteVersion(id, 2)
      }
    },
    recorded: ['asset.replaced', 'version.deleted'],
  },
]
