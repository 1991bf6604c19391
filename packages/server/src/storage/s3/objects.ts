import type { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsOutput,
  ListObjectsV2Command,
  type ListObjectsV2Output,
  ListObjectVersionsCommand,
  type ListObjectVersionsOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { isAssetId } from '../../domain/asset.ts'
import { DamagedObject, EngineUnavailable } from '../../domain/errors.ts'
import { type PartPlan, partLength, partRange } from '../../domain/parts.ts'
import type { ObjectFacts, OpenUpload } from '../storage.ts'
import { encodePath } from './presign.ts'
import {
  type BucketOptions,
  boundedSend,
  CONNECT_TIMEOUT_MS,
  openClient,
  type Send,
} from './s3-client.ts'
import {
  isEmptyRange,
  isForbidden,
  isMissingKey,
  isMissingObject,
  isUnsupported,
  orOutage,
} from './s3-errors.ts'

interface ObjectLocation {
  Bucket: string
  Key: string
}

/**
 * Returns undefined if the storage responds 404. A response to HEAD has no body, so a missing bucket looks
 * like a missing object: use `findObject` if the difference matters.
 */
export async function headObject(
  send: Send,
  object: ObjectLocation,
): Promise<{ size: number } | undefined> {
  try {
    const { ContentLength } = await send(new HeadObjectCommand(object))
    return { size: ContentLength ?? 0 }
  } catch (error) {
    if (isMissingObject(error)) return undefined
    throw error
  }
}

/** Returns undefined if the storage reports that the object is missing. Throws if the bucket is missing. */
export async function findObject(
  send: Send,
  object: ObjectLocation,
): Promise<{ size: number } | undefined> {
  const found = await headObject(send, object)
  if (found !== undefined) return found
  try {
    const { Body } = await send(new GetObjectCommand({ ...object, Range: 'bytes=0-0' }))
    ;(Body as Readable | undefined)?.destroy()
  } catch (error) {
    if (isMissingKey(error)) return undefined
    if (!isEmptyRange(error)) throw error
  }
  // The object appeared after HEAD, or a proxy responded to HEAD instead of the storage.
  const again = await headObject(send, object)
  if (again === undefined)
    throw new Error('the storage responds 404 to HEAD for an existing object')
  return again
}

interface Folder {
  bucket: string
  prefix: string
}

/** The key without the prefix, or undefined if it is not the key of an asset: other programs may use the bucket. */
function assetKey(key: string, prefix: string): string | undefined {
  const withoutPrefix = key.slice(prefix.length)
  return key.startsWith(prefix) && isAssetId(withoutPrefix) ? withoutPrefix : undefined
}

/* Some S3-compatible storage returns a marker even on the last page, so only `IsTruncated` is reliable. */

export async function* listObjects(
  send: Send,
  { bucket, prefix }: Folder,
): AsyncIterable<ObjectFacts> {
  let token: { ContinuationToken?: string } | undefined = {}
  while (token !== undefined) {
    const request = { Bucket: bucket, Prefix: prefix, ...token }
    const page: ListObjectsV2Output = await orOutage(() => send(new ListObjectsV2Command(request)))
    for (const { Key = '', Size = 0 } of page.Contents ?? []) {
      const key = assetKey(Key, prefix)
      if (key !== undefined) yield { key, size: Size }
    }
    const { NextContinuationToken: ContinuationToken } = page
    token = page.IsTruncated && ContinuationToken ? { ContinuationToken } : undefined
  }
}

/** All uploads in the folder, or those of one key. */
export async function* listUploads(
  send: Send,
  { bucket, prefix }: Folder,
  wanted = '',
): AsyncIterable<OpenUpload> {
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (marker !== undefined) {
    const request = { Bucket: bucket, Prefix: prefix + wanted, ...marker }
    const page: ListMultipartUploadsOutput = await orOutage(() =>
      send(new ListMultipartUploadsCommand(request)),
    )
    for (const { Key = '', UploadId = '', Initiated = new Date() } of page.Uploads ?? []) {
      const key = assetKey(Key, prefix)
      if (key !== undefined) yield { key, id: UploadId, openedAt: Initiated }
    }
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    const isLast = !page.IsTruncated || KeyMarker === undefined
    marker = isLast ? undefined : { KeyMarker, ...(UploadIdMarker && { UploadIdMarker }) }
  }
}

/**
 * Checks only the number of bytes: the storage guarantees that they have not changed. The total time is
 * not limited, as the connection may be slow.
 */
export async function* readPartOfS3(
  client: S3Client,
  object: { Bucket: string; Key: string },
  plan: PartPlan,
  { number, from }: { number: number; from: number },
): AsyncIterable<Uint8Array> {
  const part = partRange(plan, number)
  const range = { ...part, start: part.start + from }
  // An empty object has no satisfiable range.
  const wanted = plan.size === 0 ? {} : { Range: `bytes=${range.start}-${range.end - 1}` }
  const response = await orOutage(() =>
    client.send(new GetObjectCommand({ ...object, ...wanted })).catch((error: unknown) => {
      if (isMissingObject(error)) return undefined
      throw error
    }),
  )
  if (response === undefined) throw new DamagedObject(`${object.Key} is not in the storage`)
  let length = 0
  for await (const chunk of readBody(response.Body as AsyncIterable<Uint8Array>)) {
    length += chunk.length
    yield chunk
  }
  if (length !== partLength(range)) {
    throw new DamagedObject(`part ${number} of ${object.Key} has ${from + length} bytes`)
  }
}

/** A connection that breaks is an outage, not damage. */
async function* readBody(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new EngineUnavailable('storage', error)
  }
}

/** An object that does not exist is not an error. */
export async function removeObject(
  send: Send,
  object: { Bucket: string; Key: string },
): Promise<void> {
  const { $metadata } = await send(new DeleteObjectCommand(object))
  // S3 responds 204. Any other status may come from a proxy, with nothing removed.
  const isRemoved = $metadata.httpStatusCode === 204
  if (!isRemoved && (await findObject(send, object)) !== undefined) {
    throw new Error('the object still exists after its removal')
  }
}

/**
 * In a bucket with versions, a removed object is still there, below a marker for each removal. Removes the markers if the
 * newest version has this size. Returns whether the object is there.
 */
export async function recoverObject(
  send: Send,
  object: ObjectLocation,
  size: number,
): Promise<boolean> {
  const { Bucket, Key } = object
  const isOwn = (one: { Key?: string | undefined }) => one.Key === Key
  const listed: ListObjectVersionsOutput = await send(
    new ListObjectVersionsCommand({ Bucket, Prefix: Key }),
  ).catch((error: unknown) => {
    // Without the permission, nothing but the existing object is known.
    if (isForbidden(error) || isUnsupported(error)) return {}
    throw error
  })
  // The newest version comes first.
  const newest = listed.Versions?.find(isOwn)
  if (newest?.Size === size) {
    for (const { VersionId } of listed.DeleteMarkers?.filter(isOwn) ?? []) {
      await send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
    }
  }
  return (await findObject(send, object))?.size === size
}

/** Ceph copies references, which took 0.1 s per GB on a Ceph that stores in memory. Other storage copies the bytes. */
const COPY_TIMEOUT_MS = 15 * 60_000
/** Appended to the key of an object for its copy. The result is never the key of an asset. */
const COPY_SUFFIX = '.copy'

/**
 * Replaces the object with a copy of itself that no longer depends on the upload that created it. The key has a complete
 * object at every moment, and a repeated call continues after any interruption. Two copies are needed: a copy onto the
 * same key only changes the metadata.
 */
export async function rewriteObject(options: BucketOptions, key: string): Promise<void> {
  const { bucket } = options
  const copyKey = key + COPY_SUFFIX
  const timeouts = { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: COPY_TIMEOUT_MS }
  const client = openClient(options, { requestHandler: timeouts })
  const send = boundedSend(client, COPY_TIMEOUT_MS)
  const copy = (from: string, to: string) => {
    const CopySource = `${bucket}/${encodePath(from)}`
    return send(new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource }))
  }
  try {
    await copy(key, copyKey)
    await copy(copyKey, key)
    await removeObject(send, { Bucket: bucket, Key: copyKey })
  } finally {
    client.destroy()
  }
}
