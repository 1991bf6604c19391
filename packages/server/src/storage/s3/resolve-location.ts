import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { type BucketOptions, openClient } from './s3-client.ts'

/** The parts of the URLs of a bucket's objects. */
export interface BucketLocation {
  /** `https://bucket.s3.eu-central-1.amazonaws.com`, without a path. */
  origin: string
  /** Precedes every key: `/`, or `/bucket/` with path style. */
  base: string
  region: string
}

const SAMPLE_KEY = 'key'

/**
 * Gets the host from the SDK, so that signed URLs have the same host as the SDK's own calls, wherever
 * the endpoint comes from: our settings, AWS's variables and files, the partition of the region.
 */
export async function resolveLocation(options: BucketOptions): Promise<BucketLocation> {
  const { bucket } = options
  // Never sent: the middleware below stops the request.
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
  const client = openClient(options, { credentials })
  const region = await regionOf(client)
  const command = new HeadObjectCommand({ Bucket: bucket, Key: SAMPLE_KEY })
  let location: BucketLocation | undefined
  command.middlewareStack.add(
    () =>
      async ({ request }) => {
        const { protocol, hostname, port, path } = request as HttpRequest
        const host = port === undefined ? hostname : `${hostname}:${port}`
        const base = path.slice(0, path.length - SAMPLE_KEY.length)
        location = { origin: new URL(`${protocol}//${host}`).origin, base, region }
        return { response: {}, output: { $metadata: {} } }
      },
    { step: 'build', priority: 'high' },
  )
  await client.send(command).finally(() => client.destroy())
  if (location === undefined) throw new Error(`cannot determine the URL of the bucket ${bucket}`)
  return location
}

interface HttpRequest {
  protocol: string
  hostname: string
  port?: number
  path: string
}

async function regionOf(client: S3Client): Promise<string> {
  try {
    return await client.config.region()
  } catch (error) {
    const hint = 'set STOWAGE_S3_REGION (us-east-1 works for most storage without regions)'
    throw new Error(`the region of the bucket is unknown: ${hint}`, { cause: error })
  }
}
