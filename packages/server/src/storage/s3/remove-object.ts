import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import type { Send } from './bounded-send.ts'
import { findObject } from './find-object.ts'

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
