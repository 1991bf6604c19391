import { setTimeout as pause } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  HeadBucketCommand,
  ListPartsCommand,
  type ListPartsOutput,
} from '@aws-sdk/client-s3'
import { type PartPlan, type PartRange, partLength, partsAtFault } from '../../domain/parts.ts'
import { dispositionOf } from '../../node-http/content-disposition.ts'
import { checkStored } from '../shared.ts'
import type {
  CompletionOutcome,
  ObjectFacts,
  Storage,
  StorageUpload,
  StoredPart,
} from '../storage.ts'
import { identityInS3 } from './identity.ts'
import {
  findObject,
  headObject,
  listObjects,
  listUploads,
  readPartOfS3,
  recoverObject,
  removeObject,
  rewriteObject,
} from './objects.ts'
import {
  encodePath,
  presignCreate,
  presignGet,
  presignParts,
  type SignedObject,
} from './presign.ts'
import {
  type BucketOptions,
  boundedSend,
  openClient,
  openPostClient,
  resolveLocation,
  type Send,
} from './s3-client.ts'
import { isFinalRefusal, isGone, isPartRefusal, orOutage, reasonOf } from './s3-errors.ts'

interface S3StorageOptions extends BucketOptions {
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
          disposition: dispositionOf(object),
          type: object.mime,
        })
        return { url, expiresAt: signed.expiresAt }
      }),

    downloadETag: () => undefined,

    // The service sends them: the storage has no archives.
    signArchive: async () => undefined,

    readPart: (object, number, { from = 0 } = {}) =>
      readPartOfS3(client, keyOf(object.key), object.plan, { number, from }),
    findObject: (key) => orOutage(() => findIn(key)),
    listObjects: () => listObjects(send, { bucket, prefix }),
    // Any range can be read.
    readPartSize: async () => undefined,
    describeObject: (key) => `s3://${bucket}/${prefix}${key}`,

    removeObject: (key) => orOutage(() => removeObject(send, keyOf(key))),
    recoverObject: (key, size) => orOutage(() => recoverObject(send, keyOf(key), size)),

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

interface Completion {
  send: Send
  upload: { Bucket: string; Key: string; UploadId: string }
  plan: PartPlan
  parts: { number: number; etag: string }[]
}

interface Queries {
  listParts(): Promise<StoredPart[] | undefined>
  findObject(): Promise<{ size: number } | undefined>
}

const MAX_COMPLETIONS = 5
const COMPLETION_PAUSE_MS = 100
/** After this many checks that find neither the upload nor the object, the upload counts as gone. */
const MAX_MISSES = 5

/**
 * Storage systems respond to a completion differently: some repeat a success, some fail concurrent calls, some
 * respond 200 with an error in the body. So after an error, this checks the object and the parts.
 */
export async function completeInS3(
  completion: Completion,
  queries: Queries,
): Promise<CompletionOutcome> {
  let misses = 0
  for (let attempt = 1; ; attempt += 1) {
    const [received, before] = await Promise.all([
      queries.listParts(),
      objectOutcome(completion, queries),
    ])
    // Swift accepts and lists parts even after the completion, and completing again would create another object.
    if (before.outcome === 'completed') return before
    if (received === undefined) {
      // Another call may have completed it between the two queries, and on some storage an object
      // appears only a moment after its upload is closed.
      const outcome = await objectOutcome(completion, queries)
      misses += 1
      if (outcome.outcome === 'completed' || misses === MAX_MISSES) return outcome
      await pause(COMPLETION_PAUSE_MS * misses ** 2)
      continue
    }
    const atFault = partsAtFault(received, completion.plan, completion.parts)
    if (atFault.length > 0) return { outcome: 'refused', parts: atFault }
    try {
      await completion.send(
        new CompleteMultipartUploadCommand({
          ...completion.upload,
          // Sorted and complete, as some storage systems refuse anything else.
          MultipartUpload: {
            Parts: received.map(({ number, etag }) => ({ PartNumber: number, ETag: `"${etag}"` })),
          },
        }),
      )
      return { outcome: 'completed' }
    } catch (error) {
      const outcome = await objectOutcome(completion, queries)
      if (outcome.outcome === 'completed') return outcome
      // Another call may be completing it, or a client may be replacing a part repeatedly.
      const isLastAttempt = attempt >= (isPartRefusal(error) ? MAX_COMPLETIONS : 2)
      if (isLastAttempt && isFinalRefusal(error)) {
        return { outcome: 'rejected', reason: reasonOf(error) }
      }
      if (attempt >= MAX_COMPLETIONS) throw error
      await pause(COMPLETION_PAUSE_MS * attempt)
    }
  }
}

async function objectOutcome({ plan }: Completion, queries: Queries): Promise<CompletionOutcome> {
  const object = await queries.findObject()
  return object?.size === plan.size ? { outcome: 'completed' } : { outcome: 'gone' }
}
