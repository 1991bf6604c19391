import { randomUUID } from 'node:crypto'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2Output,
  S3Client,
} from '@aws-sdk/client-s3'
import { openS3Storage } from '@stowage/server/src/storage/s3/s3-storage'
import type { Storage } from '@stowage/server/src/storage/storage'

/** A real S3 server, wherever it comes from. */
export interface S3Server {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  /** Only what clients talk to; what is stored stays. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** The credentials go the way of every deployment: through the environment. */
export function credentialsOf({ credentials }: S3Server) {
  return {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
}

export async function aBucket(server: { endpoint: string; region: string }): Promise<string> {
  const bucket = `test-${randomUUID()}`
  const client = new S3Client({ ...server, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  client.destroy()
  return bucket
}

export interface InBucket {
  endpoint: string
  region: string
  bucket: string
  prefix: string
}

/** The keys of all objects below the prefix. */
export async function readBucket(place: InBucket): Promise<string[]> {
  const { bucket, prefix } = place
  return askOnce(place, async (client) => {
    const keys: string[] = []
    let token: string | undefined
    do {
      const request = { Bucket: bucket, Prefix: prefix, ContinuationToken: token }
      const page: ListObjectsV2Output = await client.send(new ListObjectsV2Command(request))
      const found = (page.Contents ?? []).map(({ Key = '' }) => Key.slice(prefix.length))
      // It is of the storage as a whole.
      keys.push(...found.filter((key) => key !== 'stowage-identity'))
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
    return keys.sort()
  })
}

/** For a server that has everything in memory. */
export async function emptyBucket(place: InBucket): Promise<void> {
  const keys = await readBucket(place)
  await askOnce(place, (client) =>
    Promise.all(
      keys.map((key) => {
        const object = { Bucket: place.bucket, Key: place.prefix + key }
        return client.send(new DeleteObjectCommand(object))
      }),
    ),
  )
}

/** The keys of all uploads that are open anywhere in the bucket. */
export async function readUploadsIn(place: InBucket): Promise<string[]> {
  const command = new ListMultipartUploadsCommand({ Bucket: place.bucket })
  const { Uploads = [] } = await askOnce(place, (client) => client.send(command))
  return Uploads.map(({ Key = '' }) => Key)
}

async function askOnce<Answer>(
  { endpoint, region }: InBucket,
  ask: (client: S3Client) => Promise<Answer>,
): Promise<Answer> {
  const client = new S3Client({ endpoint, region, forcePathStyle: true })
  try {
    return await ask(client)
  } finally {
    client.destroy()
  }
}

export async function openBucket(server: S3Server, prefix = ''): Promise<Storage> {
  Object.assign(process.env, credentialsOf(server))
  const { endpoint, region } = server
  return openS3Storage({
    bucket: await aBucket({ endpoint, region }),
    prefix,
    endpoint,
    region,
    pathStyle: true,
    maxParts: 10_000,
    clock: () => new Date(),
  })
}
