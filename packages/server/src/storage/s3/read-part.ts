import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { type PartPlan, partLength, partRange } from '../../domain/parts.ts'
import { DamagedObject, EngineUnavailable } from '../../errors.ts'
import { isMissingObject, orOutage } from './s3-errors.ts'

/**
 * Checks only the number of bytes: the storage guarantees that they have not changed. The total time is
 * not limited, as the connection may be slow.
 */
export async function* readPartOfS3(
  client: S3Client,
  object: { Bucket: string; Key: string },
  plan: PartPlan,
  number: number,
): AsyncIterable<Uint8Array> {
  const range = partRange(plan, number)
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
    throw new DamagedObject(`part ${number} of ${object.Key} has ${length} bytes`)
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
