import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { type PartPlan, partLength, partRange } from '../../domain/parts.ts'
import { DamagedObject } from '../../errors.ts'
import { isMissingObject, orOutage } from './s3-errors.ts'

/**
 * That its bytes are those that were sent is the store's own promise; their number is checked. It may
 * take as long as the line needs.
 */
export async function* readPartOfS3(
  client: S3Client,
  object: { Bucket: string; Key: string },
  plan: PartPlan,
  number: number,
): AsyncIterable<Uint8Array> {
  const range = partRange(plan, number)
  // No range fits into an empty object.
  const wanted = plan.size === 0 ? {} : { Range: `bytes=${range.start}-${range.end - 1}` }
  const answer = await orOutage(() =>
    client.send(new GetObjectCommand({ ...object, ...wanted })).catch((error: unknown) => {
      if (isMissingObject(error)) return undefined
      throw error
    }),
  )
  if (answer === undefined) throw new DamagedObject(`${object.Key} is not in the store`)
  let length = 0
  for await (const chunk of answer.Body as AsyncIterable<Uint8Array>) {
    length += chunk.length
    yield chunk
  }
  if (length !== partLength(range)) {
    throw new DamagedObject(`part ${number} of ${object.Key} has ${length} bytes`)
  }
}
