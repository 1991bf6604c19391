import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
} from '@aws-sdk/client-s3'

/** The response of all S3-compatible storage has at least one of these fields. */
const FIELDS = [
  [CompleteMultipartUploadCommand, ['Bucket', 'Key', 'Location', 'ETag']],
  [CopyObjectCommand, ['CopyObjectResult']],
  [HeadObjectCommand, ['ETag', 'LastModified']],
  [ListPartsCommand, ['Bucket', 'Key', 'UploadId', 'Parts']],
  [ListObjectsV2Command, ['Name', 'Prefix', 'MaxKeys', 'Contents']],
  [ListMultipartUploadsCommand, ['Bucket', 'Prefix', 'MaxUploads', 'Uploads']],
] as const

/**
 * Throws if a successful response does not come from S3-compatible storage. A proxy or a captive portal may
 * respond 200 with its own page, which the SDK reads as an empty result: no parts, or a completion that
 * never happened.
 */
export function checkResponse(command: object, output: object): void {
  const [, fields = []] = FIELDS.find(([Command]) => command instanceof Command) ?? []
  if (fields.length === 0) return
  const isS3Response = fields.some(
    (field) => field in output && output[field as never] !== undefined,
  )
  if (!isS3Response) {
    throw new Error('the response is not from S3-compatible storage: a proxy may have replaced it')
  }
}
