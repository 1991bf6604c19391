import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { Finding } from '../../../domain/finding.ts'
import { minimalPolicy } from '../policy.ts'
import { awsCommand, type Examination, found } from './examination.ts'

/** Lists objects instead of sending HEAD, as the response to HEAD has no body with the reason. */
export async function examineAccess(examination: Examination): Promise<Finding> {
  const { client, bucket, prefix, location } = examination
  try {
    const request = { Bucket: bucket, Prefix: prefix, MaxKeys: 1 }
    await client.send(new ListObjectsV2Command(request))
    return found('ok', `the bucket ${bucket} can be listed`)
  } catch (error) {
    const code = error instanceof Error ? error.name : ''
    const reason = error instanceof Error ? error.message : String(error)
    const { accessKeyId } = await client.config.credentials()
    const explained: Record<string, [string, string]> = {
      NoSuchBucket: [
        `the bucket ${bucket} does not exist`,
        awsCommand(examination, `s3 mb s3://${bucket}`),
      ],
      InvalidAccessKeyId: [
        `the storage does not know the access key ${accessKeyId}`,
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of this storage',
      ],
      SignatureDoesNotMatch: [
        `the secret does not belong to the access key ${accessKeyId}, or the region is not ${location.region}`,
        'set AWS_SECRET_ACCESS_KEY to the secret of the key',
      ],
      AuthorizationHeaderMalformed: [
        `the bucket is not in the region ${location.region}: ${reason}`,
        'set STOWAGE_S3_REGION',
      ],
      PermanentRedirect: ['the bucket is in another region', 'set STOWAGE_S3_REGION'],
      AccessDenied: [
        `the access key ${accessKeyId} may not list the bucket ${bucket}; the minimal policy is:`,
        JSON.stringify(minimalPolicy(examination), null, 2),
      ],
    }
    const [message, remedy] = explained[code] ?? [`the bucket cannot be listed: ${code} ${reason}`]
    return found('error', message, remedy === undefined ? {} : { remedy })
  }
}
