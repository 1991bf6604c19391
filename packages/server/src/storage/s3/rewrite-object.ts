import { CopyObjectCommand } from '@aws-sdk/client-s3'
import { boundedSend, CONNECT_TIMEOUT_MS } from './bounded-send.ts'
import { encodePath } from './presign.ts'
import { removeObject } from './remove-object.ts'
import { type BucketOptions, openClient } from './s3-client.ts'

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
