import {
  CompleteMultipartUploadCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
} from '@aws-sdk/client-s3'

/** Every store gives at least one of these fields in its answer. */
const FIELDS = [
  [CompleteMultipartUploadCommand, ['Bucket', 'Key', 'Location', 'ETag']],
  [HeadObjectCommand, ['ETag', 'LastModified']],
  [ListPartsCommand, ['Bucket', 'Key', 'UploadId', 'Parts']],
  [ListObjectsV2Command, ['Name', 'Prefix', 'MaxKeys', 'Contents']],
  [ListMultipartUploadsCommand, ['Bucket', 'Prefix', 'MaxUploads', 'Uploads']],
] as const

/**
 * Throws when a success is not the store's. A proxy or a captive portal may answer 200 with a page of
 * its own, which the SDK reads as an empty answer: no parts, or a completion that never happened.
 */
export function checkResponse(command: object, output: object): void {
  const [, fields = []] = FIELDS.find(([Command]) => command instanceof Command) ?? []
  if (fields.length === 0) return
  const isAnswer = fields.some((field) => field in output && output[field as never] !== undefined)
  if (!isAnswer) {
    throw new Error('the answer is not that of an S3 store: something in between has replaced it')
  }
}
