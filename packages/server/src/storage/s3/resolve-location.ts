import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { type BucketOptions, openClient } from './s3-client.ts'

/** Where the bucket's objects lie, for addresses that others use. */
export interface Place {
  /** `https://bucket.s3.eu-central-1.amazonaws.com`, without a path. */
  origin: string
  /** Before every key: `/`, or `/bucket/` where the bucket is the first folder. */
  base: string
  region: string
}

const SAMPLE_KEY = 'key'

/**
 * Asks the SDK where its own calls go, so that signed addresses name the same host whatever the
 * endpoint comes from: our settings, AWS's variables and files, the partition of the region.
 */
export async function resolveLocation(options: BucketOptions): Promise<Place> {
  const { bucket } = options
  // Nothing is sent, so that nobody sees these.
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
  const client = openClient(options, { credentials })
  const region = await regionOf(client)
  const command = new HeadObjectCommand({ Bucket: bucket, Key: SAMPLE_KEY })
  let place: Place | undefined
  command.middlewareStack.add(
    () =>
      async ({ request }) => {
        const { protocol, hostname, port, path } = request as HttpRequest
        const host = port === undefined ? hostname : `${hostname}:${port}`
        const base = path.slice(0, path.length - SAMPLE_KEY.length)
        place = { origin: new URL(`${protocol}//${host}`).origin, base, region }
        return { response: {}, output: { $metadata: {} } }
      },
    { step: 'build', priority: 'high' },
  )
  await client.send(command).finally(() => client.destroy())
  if (place === undefined) throw new Error(`it is not known where the bucket ${bucket} lies`)
  return place
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
    const hint = 'set STOWAGE_S3_REGION (stores without regions mostly take us-east-1)'
    throw new Error(`the region of the bucket is not known: ${hint}`, { cause: error })
  }
}
