import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2Output,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { openS3Storage } from '@stowage/server/src/storage/s3/s3-storage'
import type { Storage } from '@stowage/server/src/storage/storage'

/** The connection settings for clients of an S3 server. */
export interface S3Endpoint {
  endpoint: string
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string }
}

/** A running S3 server. */
export interface S3Server extends S3Endpoint {
  /** Stops the gateway that clients use. Stored objects remain. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** The credentials as environment variables. */
export function credentialsOf({ credentials }: S3Endpoint) {
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

export interface BucketLocation {
  endpoint: string
  region: string
  bucket: string
  prefix: string
}

/** The keys of all objects below the prefix. */
export async function readBucket(location: BucketLocation): Promise<string[]> {
  const { bucket, prefix } = location
  return withClient(location, async (client) => {
    const keys: string[] = []
    let token: string | undefined
    do {
      const request = { Bucket: bucket, Prefix: prefix, ContinuationToken: token }
      const page: ListObjectsV2Output = await client.send(new ListObjectsV2Command(request))
      const found = (page.Contents ?? []).map(({ Key = '' }) => Key.slice(prefix.length))
      // These objects belong to the storage. They are not files of assets.
      keys.push(...found.filter((key) => !key.startsWith('stowage-')))
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
    return keys.sort()
  })
}

/** From now on, the bucket keeps the versions of deleted objects. */
export async function keepVersions(
  location: Pick<BucketLocation, 'endpoint' | 'region' | 'bucket'>,
) {
  const { bucket: Bucket } = location
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await withClient(location, (client) =>
    client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration })),
  )
}

/** Deletes all objects below the prefix, to free the memory of an in-memory server. */
export async function emptyBucket(location: BucketLocation): Promise<void> {
  const keys = await readBucket(location)
  await withClient(location, (client) =>
    Promise.all(
      keys.map((key) => {
        const object = { Bucket: location.bucket, Key: location.prefix + key }
        return client.send(new DeleteObjectCommand(object))
      }),
    ),
  )
}

/** The keys of all open uploads in the bucket, with any prefix. */
export async function readUploadsIn(location: BucketLocation): Promise<string[]> {
  const command = new ListMultipartUploadsCommand({ Bucket: location.bucket })
  const { Uploads = [] } = await withClient(location, (client) => client.send(command))
  return Uploads.map(({ Key = '' }) => Key)
}

async function withClient<Result>(
  { endpoint, region }: Pick<BucketLocation, 'endpoint' | 'region'>,
  work: (client: S3Client) => Promise<Result>,
): Promise<Result> {
  const client = new S3Client({ endpoint, region, forcePathStyle: true })
  try {
    return await work(client)
  } finally {
    client.destroy()
  }
}

/** Opens a new bucket, or the given one. */
export async function openBucket(
  server: S3Endpoint,
  prefix = '',
  bucket?: string,
): Promise<Storage> {
  Object.assign(process.env, credentialsOf(server))
  const { endpoint, region } = server
  return openS3Storage({
    bucket: bucket ?? (await aBucket({ endpoint, region })),
    prefix,
    endpoint,
    region,
    pathStyle: true,
    maxParts: 10_000,
    clock: () => new Date(),
  })
}

/** Starts a daemon that runs in the foreground. */
export type Launch = (command: string, ...options: string[]) => ChildProcess

/** How many characters of a daemon's stderr are shown when it ends. */
const MAX_LOG = 2000

/**
 * Starts a server that consists of several daemons, in a temporary folder. `close` stops all of them. If a
 * daemon ends before all are ready, the start fails with the stderr output of that daemon.
 */
export async function startS3Daemons<Server extends Omit<S3Server, 'close'>>(
  name: string,
  start: (folder: string, launch: Launch) => Promise<Server>,
): Promise<Server & Pick<S3Server, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), `stowage-${name}-`))
  const daemons: ChildProcess[] = []
  const ended = Promise.withResolvers<never>()
  // After the start, tests stop daemons on purpose.
  ended.promise.catch(() => {})

  function launch(command: string, ...options: string[]): ChildProcess {
    const child = spawn(command, options, { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    child.stderr.on('data', (text) => {
      log = (log + text).slice(-MAX_LOG)
    })
    child.once('error', ended.reject)
    child.once('close', (code, signal) =>
      ended.reject(new Error(`${command} ended with ${code ?? signal}: ${log}`)),
    )
    daemons.push(child)
    return child
  }
  async function close(): Promise<void> {
    for (const daemon of daemons) daemon.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    return { ...(await Promise.race([start(folder, launch), ended.promise])), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A gateway that can be stopped and started. Stored objects remain. */
export function restartable(start: () => ChildProcess, waitForResponse: () => Promise<void>) {
  let gateway = start()
  return {
    async stop() {
      const ended = new Promise((resolve) => gateway.once('exit', resolve))
      gateway.kill('SIGKILL')
      await ended
    },
    async start() {
      gateway = start()
      await waitForResponse()
    },
  }
}

/** Whether a server responds at this URL, with any status. */
export async function isResponding(url: string): Promise<boolean> {
  try {
    await fetch(url)
    return true
  } catch {
    return false
  }
}
