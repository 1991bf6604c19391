import type { Readable } from 'node:stream'
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import type { Send } from './bounded-send.ts'
import { isEmptyRange, isMissingKey, isMissingObject } from './s3-errors.ts'

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
