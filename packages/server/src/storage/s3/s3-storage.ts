import {
  AbortMultipartUploadCommand,
  HeadBucketCommand,
  ListPartsCommand,
  type ListPartsOutput,
} from '@aws-sdk/client-s3'
import { type PartRange, partLength } from '../../domain/parts.ts'
import { checkStored } from '../check-stored.ts'
import { attachmentNamed } from '../content-disposition.ts'
import type { ObjectFacts, Storage, StorageUpload, StoredPart } from '../storage.ts'
import { boundedSend } from './bounded-send.ts'
import { completeInS3 } from './complete.ts'
import { findObject, headObject } from './find-object.ts'
import { identityInS3 } from './identity.ts'
import { listObjects, listUploads } from './listings.ts'
import { openPostClient } from './post-client.ts'
import {
  encodePath,
  presignCreate,
  presignGet,
  presignParts,
  type SignedObject,
} from './presign.ts'
import { readPartOfS3 } from './read-part.ts'
import { removeObject } from './remove-object.ts'
import { resolveLocation } from './resolve-location.ts'
import { rewriteObject } from './rewrite-object.ts'
import { type BucketOptions, openClient } from './s3-client.ts'
import { isGone, orOutage } from './s3-errors.ts'

export interface S3StorageOptions extends BucketOptions {
  maxParts: number
  clock: () => Date
}

/** The validity of a URL that is used immediately. Clocks may differ. */
const CREATE_WITHIN_MS = 15 * 60_000

/** An upload may receive a part during its abort. Then it must be aborted again. */
const MAX_ABORTS = 5

/** AWS S3 and compatible storage. Stateless: any number of instances may use the same bucket. */
export async function openS3Storage(options: S3StorageOptions): Promise<Storage> {
  const { bucket, prefix, clock } = options
  const client = openClient(options)
  const send = boundedSend(client)
  const { origin, base, region } = await resolveLocation(options)
  const postClient = openPostClient(origin)
  const keyOf = (key: string) => ({ Bucket: bucket, Key: prefix + key })
  const uploadOf = ({ key, id }: StorageUpload) => ({ ...keyOf(key), UploadId: id })

  function target(key: string): SignedObject {
    return { origin, path: base + encodePath(prefix + key) }
  }

  /** A URL signed with temporary credentials expires with them, so `expiresAt` may be earlier than `wanted`. */
  async function signing(wanted: Date) {
    const credentials = await client.config.credentials()
    const { expiration = wanted } = credentials
    const expiresAt = expiration < wanted ? expiration : wanted
    // S3 requires a validity of at least one second, so a URL whose expiry has passed is signed with an earlier time.
    const now = new Date(Math.min(clock().getTime(), expiresAt.getTime() - 1000))
    const expiresInSeconds = Math.floor((expiresAt.getTime() - now.getTime()) / 1000)
    return { credentials, region, now, expiresInSeconds, expiresAt }
  }

  async function listParts(upload: StorageUpload): Promise<StoredPart[] | undefined> {
    const parts: StoredPart[] = []
    let marker: string | undefined
    try {
      do {
        const request = { ...uploadOf(upload), PartNumberMarker: marker }
        const page: ListPartsOutput = await send(new ListPartsCommand(request))
        for (const { PartNumber = 0, ETag = '', Size = 0, LastModified } of page.Parts ?? []) {
          const etag = ETag.replaceAll('"', '')
          const receivedAt = LastModified ?? new Date(0)
          parts.push({ number: PartNumber, etag, size: Size, receivedAt })
        }
        // Ceph returns a marker even on the last page, with which the SDK's paginator would never end.
        marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
      } while (marker !== undefined)
    } catch (error) {
      if (isGone(error)) return undefined
      throw error
    }
    return parts.sort((a, b) => a.number - b.number)
  }

  async function abortUpload(upload: StorageUpload): Promise<void> {
    for (let attempt = 0; attempt < MAX_ABORTS; attempt += 1) {
      try {
        await send(new AbortMultipartUploadCommand(uploadOf(upload)))
      } catch (error) {
        if (isGone(error)) return
        throw error
      }
      if ((await listParts(upload)) === undefined) return
    }
    throw new Error(`parts still arrive after ${MAX_ABORTS} aborts of the upload`)
  }

  async function findIn(key: string): Promise<ObjectFacts | undefined> {
    const found = await findObject(send, keyOf(key))
    return found && { key, ...found }
  }

  return {
    maxParts: options.maxParts,
    url: origin + base.replace(/\/$/, ''),

    // This call does not use the SDK, which takes 2 ms for it: more than all other work for a session.
    createUpload: ({ key, mime }) =>
      orOutage(async () => {
        const soon = new Date(clock().getTime() + CREATE_WITHIN_MS)
        const url = presignCreate(target(key), await signing(soon))
        const response = await postClient.post(url, { 'Content-Type': mime })
        const id = /<UploadId>([^<]+)<\/UploadId>/.exec(response)?.[1]
        if (id === undefined) throw new Error('the storage did not return an upload ID')
        return decodeXml(id)
      }),

    signParts: (upload, ranges, expiresAt) =>
      orOutage(async () => {
        const signed = await signing(expiresAt)
        const urls = presignParts(target(upload.key), signed, {
          uploadId: upload.id,
          parts: ranges.map((range: PartRange) => ({
            number: range.number,
            length: partLength(range),
          })),
        })
        return { urls, expiresAt: signed.expiresAt }
      }),

    listParts: (upload) => orOutage(() => listParts(upload)),

    completeUpload: (upload, plan, parts) =>
      orOutage(async () => {
        const outcome = await completeInS3(
          { send, upload: uploadOf(upload), plan, parts },
          {
            listParts: () => listParts(upload),
            findObject: () => headObject(send, keyOf(upload.key)),
          },
        )
        if (outcome.outcome !== 'gone') return outcome
        const object = await findIn(upload.key)
        return object?.size === plan.size ? { outcome: 'completed' } : outcome
      }),

    abortUpload: (upload) => orOutage(() => abortUpload(upload)),

    closeUpload: (upload) =>
      orOutage(async () => {
        const parts = await listParts(upload)
        if (parts === undefined) return
        checkStored(await findIn(upload.key), parts)
        await rewriteObject(options, prefix + upload.key)
        await abortUpload(upload)
      }),

    signDownload: (object, expiresAt) =>
      orOutage(async () => {
        const signed = await signing(expiresAt)
        const url = presignGet(target(object.key), signed, {
          disposition: attachmentNamed(object.filename),
          type: object.mime,
        })
        return { url, expiresAt: signed.expiresAt }
      }),

    readPart: (object, number) => readPartOfS3(client, keyOf(object.key), object.plan, number),
    findObject: (key) => orOutage(() => findIn(key)),
    listObjects: () => listObjects(send, { bucket, prefix }),
    describeObject: (key) => `s3://${bucket}/${prefix}${key}`,

    removeObject: (key) => orOutage(() => removeObject(send, keyOf(key))),

    listUploads: (key) => listUploads(send, { bucket, prefix }, key),
    ...identityInS3(send, { bucket, prefix }),

    isBusy: () => false,
    freeBytes: async () => undefined,

    check: () =>
      orOutage(async () => {
        await send(new HeadBucketCommand({ Bucket: bucket }))
      }),

    drain: async () => {},

    async close() {
      postClient.close()
      client.destroy()
    },
  }
}

const XML_ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}

function decodeXml(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (entity) => XML_ENTITIES[entity] ?? entity)
}
