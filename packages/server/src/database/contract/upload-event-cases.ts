import {
  aLink,
  anUpload,
  aReadyAsset,
  expireOverdue,
  KEEP,
  KEPT,
  OVERDUE,
  reserve,
} from './builders.ts'
import type { EventCase } from './event-case.ts'
import { replace, startReplacement } from './replacement-builders.ts'

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
    sentence: 'a new name, and a change without fields',
    async prepare({ data }) {
      const id = await aReadyAsset(data)
      return async () => {
        await data.changeAsset(id, { filename: 'b.zip' })
        await data.changeAsset(id, {})
      }
    },
    recorded: ['asset.updated'],
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
