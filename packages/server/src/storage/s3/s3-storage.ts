import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsOutput,
  ListPartsCommand,
  type ListPartsOutput,
  S3Client,
} from '@aws-sdk/client-s3'
import { type PartRange, partLength } from '../../domain/parts.ts'
import { attachmentNamed } from '../content-disposition.ts'
import type { Storage, StorageUpload, StoredPart } from '../storage.ts'
import { completeInS3 } from './complete.ts'
import { encodePath, presignGet, presignParts, type SignedObject } from './presign.ts'
import { isGone, isMissingObject, orOutage } from './refusals.ts'

export interface S3StorageOptions {
  bucket: string
  /** Before every key; with its slash, or empty. */
  prefix: string
  /** Undefined: AWS itself. */
  endpoint: string | undefined
  /** Undefined: as AWS's own settings say. */
  region: string | undefined
  pathStyle: boolean
  maxParts: number
  clock: () => Date
}

/** Objects are named after their assets. */
const OUR_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** An upload may take a part during its abort; then it must be aborted again. */
const ABORT_TRIES = 5

/** AWS S3 and the many that speak its language. It holds no state: any number may run. */
export async function openS3Storage(options: S3StorageOptions): Promise<Storage> {
  const { bucket, prefix, clock } = options
  const client = new S3Client({
    ...(options.region !== undefined && { region: options.region }),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    forcePathStyle: options.pathStyle,
    // A store that takes a call and then is silent is an outage, not a call that never ends.
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 30_000,
      throwOnRequestTimeout: true,
    },
    // Otherwise every address asks for a checksum that plain clients do not send.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const region = await client.config.region()
  const { origin, base } = addressing(options, region)
  const keyOf = (key: string) => ({ Bucket: bucket, Key: prefix + key })
  const uploadOf = ({ key, id }: StorageUpload) => ({ ...keyOf(key), UploadId: id })

  function target(key: string): SignedObject {
    return { origin, path: base + encodePath(prefix + key) }
  }

  async function signing(expiresAt: Date) {
    const now = clock()
    const credentials = await client.config.credentials()
    const expiresInSeconds = Math.floor((expiresAt.getTime() - now.getTime()) / 1000)
    return { credentials, region, now, expiresInSeconds }
  }

  async function listParts(upload: StorageUpload): Promise<StoredPart[] | undefined> {
    const parts: StoredPart[] = []
    let marker: string | undefined
    try {
      do {
        const request = { ...uploadOf(upload), PartNumberMarker: marker }
        const page: ListPartsOutput = await client.send(new ListPartsCommand(request))
        for (const { PartNumber = 0, ETag = '', Size = 0 } of page.Parts ?? []) {
          parts.push({ number: PartNumber, etag: ETag.replaceAll('"', ''), size: Size })
        }
        // Ceph names a next page also where there is none; the SDK's paginator would go on forever.
        marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
      } while (marker !== undefined)
    } catch (error) {
      if (isGone(error)) return undefined
      throw error
    }
    return parts.sort((a, b) => a.number - b.number)
  }

  /** The object's size; undefined when there is none. */
  async function sizeOf(key: string): Promise<number | undefined> {
    try {
      return (await client.send(new HeadObjectCommand(keyOf(key)))).ContentLength ?? 0
    } catch (error) {
      if (isMissingObject(error)) return undefined
      throw error
    }
  }

  return {
    maxParts: options.maxParts,
    url: origin + base.replace(/\/$/, ''),

    createUpload: ({ key, mime }) =>
      orOutage(async () => {
        const command = new CreateMultipartUploadCommand({ ...keyOf(key), ContentType: mime })
        const { UploadId } = await client.send(command)
        if (UploadId === undefined) throw new Error('the store gave the upload no name')
        return UploadId
      }),

    signParts: (upload, ranges, expiresAt) =>
      orOutage(async () =>
        presignParts(target(upload.key), await signing(expiresAt), {
          uploadId: upload.id,
          parts: ranges.map((range: PartRange) => ({
            number: range.number,
            length: partLength(range),
          })),
        }),
      ),

    listParts: (upload) => orOutage(() => listParts(upload)),

    completeUpload: (upload, plan, parts) =>
      orOutage(() =>
        completeInS3(
          { client, upload: uploadOf(upload), plan, parts },
          {
            listParts: () => listParts(upload),
            sizeOf: () => sizeOf(upload.key),
          },
        ),
      ),

    abortUpload: (upload) =>
      orOutage(async () => {
        for (let attempt = 0; attempt < ABORT_TRIES; attempt += 1) {
          try {
            await client.send(new AbortMultipartUploadCommand(uploadOf(upload)))
          } catch (error) {
            if (isGone(error)) return
            throw error
          }
          if ((await listParts(upload)) === undefined) return
        }
        throw new Error('parts still appear in an upload that was aborted again and again')
      }),

    signDownload: (object, expiresAt) =>
      orOutage(async () =>
        presignGet(target(object.key), await signing(expiresAt), {
          disposition: attachmentNamed(object.filename),
          type: object.mime,
        }),
      ),

    removeObject: (key) =>
      orOutage(async () => {
        await client.send(new DeleteObjectCommand(keyOf(key)))
      }),

    async *listUploads() {
      let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
      while (marker !== undefined) {
        const request = { Bucket: bucket, Prefix: prefix, ...marker }
        const page: ListMultipartUploadsOutput = await orOutage(() =>
          client.send(new ListMultipartUploadsCommand(request)),
        )
        for (const { Key = '', UploadId = '', Initiated = clock() } of page.Uploads ?? []) {
          const key = Key.slice(prefix.length)
          // Others may use the bucket, too: what does not look like ours is not ours.
          const isOurs = Key.startsWith(prefix) && OUR_KEY.test(key)
          if (isOurs) yield { key, id: UploadId, openedAt: Initiated }
        }
        const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
        const isLast = !page.IsTruncated || KeyMarker === undefined
        marker = isLast ? undefined : { KeyMarker, ...(UploadIdMarker && { UploadIdMarker }) }
      }
    },

    check: () =>
      orOutage(async () => {
        await client.send(new HeadBucketCommand({ Bucket: bucket }))
      }),

    async close() {
      client.destroy()
    },
  }
}

/** Where addresses point: at the bucket's own host, or at the bucket as the first folder. */
function addressing(options: S3StorageOptions, region: string): { origin: string; base: string } {
  const { bucket, pathStyle } = options
  const endpoint = new URL(options.endpoint ?? `https://s3.${region}.amazonaws.com`)
  const folder = endpoint.pathname.replace(/\/$/, '')
  if (pathStyle) return { origin: endpoint.origin, base: `${folder}/${bucket}/` }
  return { origin: `${endpoint.protocol}//${bucket}.${endpoint.host}`, base: `${folder}/` }
}
