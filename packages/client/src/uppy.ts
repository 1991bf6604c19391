import type { ProductReferences, UploadRequest, UploadSession } from '@stowage/protocol'
import { isStowageError, StowageError } from './errors.ts'
import type { ConnectOptions } from './options.ts'
import { connect } from './request.ts'
import { attachSession } from './upload/change-session.ts'
import { folderPath } from './upload/folder-path.ts'
import {
  cancelSession,
  completeSession,
  countParts,
  randomKey,
  readSession,
  type Session,
  sessionOf,
} from './upload/session.ts'

/** The options of `stowage`. */
export interface StowageUppyOptions extends ConnectOptions {
  /** Products to attach each asset to. A function is called with the file when its upload starts. */
  attach?: ProductReferences | ((file: UppyFile) => ProductReferences | undefined) | undefined
  /**
   * The folder that the files came from. A function is called with the file when its upload starts. Default:
   * the folder in `meta.relativePath`, which Uppy sets for files of a dropped or chosen folder.
   */
  path?: string | ((file: UppyFile) => string | null | undefined) | undefined
}

interface KnownFile {
  key: string
  uploadRequest: UploadRequest & { chunk_size: number }
  products: ProductReferences | undefined
  isAttached?: boolean | undefined
}

/** Parts are small, because Uppy sends them one by one, and sends a failed part again from its beginning. */
const CHUNK = 16 * 1024 ** 2
/** All storage accepts this many parts. */
const MAX_PARTS = 1000

function chunkSizeOf(size: number): number {
  return Math.max(CHUNK, Math.ceil(size / MAX_PARTS))
}

/** The user may have renamed the file in Uppy. */
function nameOf({ meta, name }: UppyFile): string {
  return `${meta.name ?? name}`
}

/**
 * Returns the options for `uppy.use(AwsS3, stowage({ baseUrl, apiKey }))`. The `key` of a finished upload is
 * the ID of its asset. With `@uppy/golden-retriever`, uploads resume after a reload.
 */
export function stowage({ attach, path, ...options }: StowageUppyOptions = {}): UppyOptions {
  const { baseUrl, request } = connect(options)
  /** By Uppy's key: first a random one, then the ID of the asset. */
  const files = new Map<string, KnownFile>()
  const sessions = new Map<string, Session>()
  /** Retrying a file reuses its key, so that a lost response does not create a second upload. */
  const keys = new WeakMap<object, { key: string; name: string }>()
  const ended = new Set<string>()

  function pathOf(file: UppyFile): string | null {
    if (path === undefined) return folderPath(`${file.meta.relativePath ?? ''}`) ?? null
    return (typeof path === 'function' ? path(file) : path) ?? null
  }

  function keyOf(file: UppyFile): string {
    const { s3Multipart, data } = file
    if (s3Multipart) return s3Multipart.key
    const name = nameOf(file)
    const before = data && keys.get(data)
    if (before?.name === name && !ended.has(before.key)) return before.key
    const key = randomKey()
    if (data) keys.set(data, { key, name })
    return key
  }

  function generateObjectKey(file: UppyFile): string {
    const key = keyOf(file)
    const size = file.size ?? 0
    files.set(key, {
      key,
      uploadRequest: {
        name: nameOf(file),
        path: pathOf(file),
        size,
        mime: file.type ?? '',
        chunk_size: chunkSizeOf(size),
      },
      products: typeof attach === 'function' ? attach(file) : attach,
    })
    return key
  }

  function getFile(key: string): KnownFile {
    const file = files.get(key)
    if (file === undefined)
      throw new StowageError(
        'upload_ended',
        'This page does not know the upload. Add the file again.',
      )
    return file
  }

  function keep(session: Session, file: KnownFile): Session {
    if (session.chunkSize !== file.uploadRequest.chunk_size) {
      const message = `The service requires parts of ${session.chunkSize} bytes, but Uppy uses ${file.uploadRequest.chunk_size}.`
      throw new StowageError('bad_response', message)
    }
    files.set(session.id, file)
    sessions.set(session.id, session)
    return session
  }

  async function begin(key: string): Promise<Session> {
    const file = getFile(key)
    try {
      const response = await request.json<UploadSession>('/assets/signed', {
        method: 'POST',
        headers: { 'Idempotency-Key': key },
        body: file.uploadRequest,
      })
      const session = keep(sessionOf(response), file)
      await attachTo(session, file)
      return session
    } catch (error) {
      if (isStowageError(error, 'upload_ended')) ended.add(key)
      throw error
    }
  }

  /** Runs before the first byte is sent. If it fails, the session is cancelled. */
  async function attachTo(session: Session, file: KnownFile): Promise<void> {
    if (!file.products || file.isAttached) return
    try {
      await attachSession(request, session, { body: file.products })
    } catch (error) {
      end(session.id)
      await cancelSession(request, session, {}).catch(() => {})
      throw error
    }
    file.isAttached = true
  }

  async function renew(id: string): Promise<Session> {
    return keep(await readSession(request, { id }, {}), getFile(id))
  }

  async function urlOf(id: string, part: number): Promise<string> {
    const known = sessions.get(id)
    const session = known && Date.now() < known.renewAt ? known : await renew(id)
    const url = session.urls.get(part)
    if (url === undefined) throw new StowageError('upload_ended', `Part ${part} is already stored.`)
    return url
  }

  /** Lists the parts that Uppy need not send. After the completion these are all parts, although the storage lists none. */
  async function listReceived(id: string) {
    const { urls, received } = await renew(id)
    const { size, chunk_size } = getFile(id).uploadRequest
    return Array.from({ length: countParts(size, chunk_size) }, (_, index) => index + 1)
      .filter((part) => !urls.has(part))
      .map((part) => ({ PartNumber: part, ETag: received.get(part)?.etag || 'received' }))
  }

  async function complete(id: string, uploadId: string): Promise<void> {
    // Without ETags, the service reads them from the storage.
    await completeSession(request, { id, uploadId, received: new Map() }, {})
    const { products, isAttached } = getFile(id)
    // After a reload or a retry, it is unknown whether the products are attached.
    if (products && !isAttached) await attachSession(request, { id }, { body: products })
    end(id)
  }

  function end(id: string): void {
    sessions.delete(id)
    ended.add(files.get(id)?.key ?? id)
  }

  /** Uppy sends an empty file with one PUT and does not complete it, so the upload is completed here. */
  async function storeEmpty(key: string): Promise<string> {
    const { id, uploadId, urls } = await begin(key)
    const url = urls.get(1)
    if (url !== undefined) await fetch(url, { method: 'PUT', body: new Blob([]) })
    await complete(id, uploadId)
    return id
  }

  async function signRequest(uppyRequest: UppyRequest): Promise<UppySigned> {
    const { method, key, uploadId, partNumber } = uppyRequest
    if (uploadId === undefined) {
      if (method === 'PUT') return { url: xmlDataUrl({}), key: await storeEmpty(key) }
      const session = await begin(key)
      const result = { UploadId: session.uploadId }
      return { url: xmlDataUrl({ InitiateMultipartUploadResult: result }), key: session.id }
    }
    if (partNumber !== undefined) return { url: await urlOf(key, partNumber) }
    if (method === 'GET') {
      return { url: xmlDataUrl({ ListPartsResult: { Part: await listReceived(key) } }) }
    }
    if (method === 'DELETE') {
      // Called before the request, because the same file may be added again before the response arrives.
      end(key)
      await cancelSession(request, { id: key, uploadId }, {})
      return { url: xmlDataUrl({}) }
    }
    await complete(key, uploadId)
    const result = { Location: `${baseUrl}/api/v1/assets/${key}`, Key: key }
    return { url: xmlDataUrl({ CompleteMultipartUploadResult: result }) }
  }

  return {
    shouldUseMultipart: true,
    getChunkSize: ({ size }) => chunkSizeOf(size),
    generateObjectKey,
    signRequest,
  }
}

/** The part of an Uppy file that is used here. */
export interface UppyFile {
  /** The name of the file on disk. */
  name?: string | undefined
  /** The media type. */
  type?: string | undefined
  /** Null only for files that are not on this device. */
  size: number | null
  /** `meta.name` is the name that the user gave the file, `meta.relativePath` its path in a dropped folder. */
  meta: Record<string, unknown>
  /** The content. Another object means that the user chose another file. */
  data?: object | undefined
  /** Set if the upload is resumed after a failure or a reload. `key` is the ID of the asset. */
  s3Multipart?: { key: string; uploadId: string } | undefined
}

/** A request that `@uppy/aws-s3` wants to sign. The method and the omitted fields identify the operation. */
export interface UppyRequest {
  /** The HTTP method. */
  method: 'POST' | 'PUT' | 'GET' | 'DELETE'
  /** The key of the object. */
  key: string
  /** Omitted before the upload exists. */
  uploadId?: string
  /** Set only for sending a part. */
  partNumber?: number
}

/** The signed request. */
export interface UppySigned {
  /** The URL to send the request to. */
  url: string
  /** Replaces the key of the request. */
  key?: string
}

/** The options of `@uppy/aws-s3`, version 6, that make it upload to Stowage. */
export interface UppyOptions {
  /** Uploads every file in parts. */
  shouldUseMultipart: true
  /** Returns the size of the parts of a file. */
  getChunkSize(file: { size: number }): number
  /** Returns the key of a file. */
  generateObjectKey(file: UppyFile): string
  /** Returns the URL for a request. */
  signRequest(request: UppyRequest): Promise<UppySigned>
}

type XmlNode = string | number | { [name: string]: XmlNode | XmlNode[] }

/**
 * Returns a `data:` URL that responds with this XML. Uppy sends a request to the URL and expects a response of S3, but
 * `signRequest` has already performed the operation. Browsers respond to every method on a `data:` URL, without the
 * network.
 */
function xmlDataUrl(nodes: { [name: string]: XmlNode }): string {
  return `data:application/xml,${encodeURIComponent(writeXml(nodes))}`
}

function writeXml(node: XmlNode): string {
  if (typeof node !== 'object') return escapeXml(`${node}`)
  return Object.entries(node)
    .flatMap(([name, inner]) => [inner].flat().map((one) => `<${name}>${writeXml(one)}</${name}>`))
    .join('')
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
