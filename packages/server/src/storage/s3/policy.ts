/** The minimal IAM policy. With `setup`, it includes what `doctor --fix` needs. */
export function minimalPolicy(
  { bucket, prefix }: { bucket: string; prefix: string },
  { setup = false } = {},
) {
  const arn = `arn:aws:s3:::${bucket}`
  const allow = (Action: string[], Resource: string) => ({ Effect: 'Allow', Action, Resource })
  return {
    Version: '2012-10-17',
    Statement: [
      allow(['s3:ListBucket', 's3:ListBucketMultipartUploads'], arn),
      allow(
        [
          's3:PutObject',
          's3:GetObject',
          's3:DeleteObject',
          's3:AbortMultipartUpload',
          's3:ListMultipartUploadParts',
        ],
        `${arn}/${prefix}*`,
      ),
      ...(setup ? [allow(SETUP_ACTIONS, arn)] : []),
    ],
  }
}

const SETUP_ACTIONS = [
  's3:GetBucketCORS',
  's3:PutBucketCORS',
  's3:GetLifecycleConfiguration',
  's3:PutLifecycleConfiguration',
]
