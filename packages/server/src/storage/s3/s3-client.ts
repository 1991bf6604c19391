import type { OutgoingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { urlToHttpOptions } from 'node:url'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { http, https } from '../../node-http/http-modules.ts'

/** How long a response may stall. */
const STALL_TIMEOUT_MS = 60_000

/** Which bucket, and how to reach it. */
export interface BucketOptions {
  bucket: string
  /** Precedes every key. Empty, or with a slash at the end. */
  prefix: string
  /** Undefined: from AWS's own settings, by default AWS itself. */
  endpoint: string | undefined
  /** Undefined: from AWS's own settings. */
  region: string | undefined
  pathStyle: boolean
}

export function openClient(options: BucketOptions, more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    ...(options.region !== undefined && { region: options.region }),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
    forcePathStyle: options.pathStyle,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: STALL_TIMEOUT_MS },
    // By default, the SDK uses checksums in all calls, which some S3-compatible storage does not support.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...more,
  })
}

export const CONNECT_TIMEOUT_MS = 5_000
/** The time limit for all attempts of a call together, because callers wait for it. */
const CALL_TIMEOUT_MS = 10_000
/** Storage needs longer to join many parts. */
const COMPLETE_TIMEOUT_MS = 60_000

export type Send = S3Client['send']

/**
 * Limits the time of each call, so that storage that does not respond is an outage. Also throws if a
 * successful response does not come from S3-compatible storage.
 */
export function boundedSend(client: S3Client, limitMs = CALL_TIMEOUT_MS): Send {
  return (async (command: Parameters<Send>[0]) => {
    const isCompletion = command instanceof CompleteMultipartUploadCommand
    const timeoutMs = isCompletion ? COMPLETE_TIMEOUT_MS : limitMs
    const output = await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
    checkResponse(command, output)
    return output
  }) as Send
}

/** The response of all S3-compatible storage has at least one of these fields. */
const RESPONSE_FIELDS = [
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
function checkResponse(command: object, output: object): void {
  const [, fields = []] = RESPONSE_FIELDS.find(([Command]) => command instanceof Command) ?? []
  if (fields.length === 0) return
  const isS3Response = fields.some(
    (field) => field in output && output[field as never] !== undefined,
  )
  if (!isS3Response) {
    throw new Error('the response is not from S3-compatible storage: a proxy may have replaced it')
  }
}

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
        const { protocol, hostname, port, path } = request as SdkRequest
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

interface SdkRequest {
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

interface PostClient {
  /** Sends a POST without a body to a URL of the origin, retries temporary failures, and returns the response body. */
  post(url: string, headers: OutgoingHttpHeaders): Promise<string>
  close(): void
}

interface PostResponse {
  status: number
  text: string
}

const MAX_POSTS = 3
const POST_PAUSE_MS = 50
const MAX_SOCKETS = 128
/** The response with an upload ID has a few hundred bytes. */
const MAX_RESPONSE_LENGTH = 64 * 1024

/** A plain HTTP client with persistent connections, for the S3 call that opens an upload. */
export function openPostClient(origin: string): PostClient {
  const isPlain = origin.startsWith('http:')
  const { request, Agent } = isPlain ? http : https
  // Parsed once: with a URL, Node would parse each of them, and copy its parts.
  const server = urlToHttpOptions(new URL(origin))
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
  })

  function once(url: string, headers: OutgoingHttpHeaders): Promise<PostResponse> {
    return new Promise((resolve, reject) => {
      const path = url.slice(origin.length)
      const call = { method: 'POST', path, headers: { ...headers, 'Content-Length': 0 } }
      const sent = request({ ...server, ...call, agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
          if (text.length > MAX_RESPONSE_LENGTH)
            sent.destroy(new Error('the response of the storage is too long'))
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      // Includes the time until a connection is free.
      const deadline = setTimeout(() => sent.destroy(timeout()), CALL_TIMEOUT_MS)
      sent.on('close', () => clearTimeout(deadline))
      sent.on('error', reject)
      sent.end()
    })
  }

  return {
    async post(url, headers) {
      for (let attempt = 1; ; attempt += 1) {
        const result = await once(url, headers).catch((error: unknown) => error)
        if (isResponse(result) && result.status === 200) return result.text
        if (!isTemporary(result) || attempt === MAX_POSTS) throw toError(result)
        await pause(POST_PAUSE_MS * 2 ** attempt)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Not retried, as the caller has waited long enough. */
function timeout(): Error {
  return Object.assign(new Error('the storage does not respond'), { code: 'ETIMEDOUT' })
}

function isTemporary(result: unknown): boolean {
  if (isResponse(result)) return result.status >= 500 || result.status === 429
  return !(result instanceof Error && 'code' in result && result.code === 'ETIMEDOUT')
}

function isResponse(result: unknown): result is PostResponse {
  return typeof result === 'object' && result !== null && 'status' in result
}

function toError(result: unknown): unknown {
  if (!isResponse(result)) return result
  return new Error(`the storage refused with ${result.status}: ${result.text.slice(0, 300)}`)
}
