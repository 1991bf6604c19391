import type { Readable } from 'node:stream'
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import type { Send } from './bounded-send.ts'
import { isEmptyRange, isMissingKey, isMissingObject } from './s3-errors.ts'

interface ObjectLocation {
  Bucket: string
  Key: string
}

/**
 * Undefined when the store answers 404. An answer to HEAD has no body, so that a missing bucket looks
 * like a missing object: use `findObject` where something is decided by it.
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

/** Undefined when the store says that this object is missing. A missing bucket is an error. */
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
  // HEAD was answered before the object was there, or by something else than the store.
  const again = await headObject(send, object)
  if (again === undefined)
    throw new Error('the store answers 404 to HEAD for an object that it has')
  return again
}
