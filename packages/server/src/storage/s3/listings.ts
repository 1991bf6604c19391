import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsOutput,
  ListObjectsV2Command,
  type ListObjectsV2Output,
} from '@aws-sdk/client-s3'
import { isAssetId } from '../../domain/asset.ts'
import type { ObjectFacts, OpenUpload } from '../storage.ts'
import type { Send } from './bounded-send.ts'
import { orOutage } from './s3-errors.ts'

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
