import type { ProductReferences, UploadRequest, UploadSession } from '@stowage/protocol'
import { type ConnectOptions, connect } from '../connect.ts'
import { isStowageError, StowageError } from '../errors.ts'
import { randomKey } from '../upload/open-session.ts'
import {
  attachSession,
  cancelSession,
  completeSession,
  countParts,
  readSession,
  type Session,
  sessionOf,
} from '../upload/session.ts'
import type { UppyFile, UppyOptions, UppyRequest, UppySigned } from './contract.ts'
import { xmlAnswer } from './xml-data-url.ts'

export type { UppyFile, UppyOptions, UppyRequest, UppySigned } from './contract.ts'

export interface StowageUppyOptions extends ConnectOptions {
  /** Products to link each asset to, once it is there. A function is asked when an upload starts. */
  attach?: ProductReferences | ((file: UppyFile) => ProductReferences | undefined) | undefined
}

interface KnownFile {
  key: string
  /** What the service is asked for. */
  wanted: UploadRequest & { chunk_size: number }
  products: ProductReferences | undefined
  isAttached?: boolean | undefined
}

/** Uppy sends a file's parts one after the other, and what breaks is sent again: so not too long. */
const CHUNK = 16 * 1024 ** 2
/** Fewer than any store takes. */
const MOST_PARTS = 1000

function chunkSizeOf(size: number): number {
  return Math.max(CHUNK, Math.ceil(size / MOST_PARTS))
}

/** As the user has it, who may have changed it. */
function nameOf({ meta, name }: UppyFile): string {
  return `${meta.name ?? name}`
}

/**
 * The options for `uppy.use(AwsS3, stowage({ baseUrl, apiKey }))`. Of a finished upload, `key` is the
 * asset's id. What was begun before a reload goes on where `@uppy/golden-retriever` is used.
 */
export function stowage({ attach, ...options }: StowageUppyOptions = {}): UppyOptions {
  const { baseUrl, request } = connect(options)
  /** By the key that Uppy has for them: one made up by us, then the asset's id. */
  const files = new Map<string, KnownFile>()
  const sessions = new Map<string, Session>()
  /** The same file, tried again, is the same upload: a lost answer makes no second one. */
  const keys = new WeakMap<object, { key: string; name: string }>()
  const ended = new Set<string>()

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
      wanted: { name: nameOf(file), size, mime: file.type ?? '', chunk_size: chunkSizeOf(size) },
      products: typeof attach === 'function' ? attach(file) : attach,
    })
    return key
  }

  function getFile(key: string): KnownFile {
    const file = files.get(key)
    if (file === undefined) throw new StowageError('upload_ended', 'This file is not known here.')
    return file
  }

  function keep(session: Session, file: KnownFile): Session {
    if (session.chunkSize !== file.wanted.chunk_size) {
      const message = `The service wants parts of ${session.chunkSize} bytes, and Uppy has cut others.`
      throw new StowageError('bad_answer', message)
    }
    files.set(session.id, file)
    sessions.set(session.id, session)
    return session
  }

  async function begin(key: string): Promise<Session> {
    const file = getFile(key)
    try {
      const answer = await request.json<UploadSession>('/assets/signed', {
        method: 'POST',
        headers: { 'Idempotency-Key': key },
        body: file.wanted,
      })
      const session = keep(sessionOf(answer), file)
      await attachTo(session, file)
      return session
    } catch (error) {
      if (isStowageError(error, 'upload_ended')) ended.add(key)
      throw error
    }
  }

  /** Before the first byte: unknown products are refused, and the session is dropped. */
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
    return keep(await readSession(request, id, {}), getFile(id))
  }

  async function addressOf(id: string, part: number): Promise<string> {
    const known = sessions.get(id)
    const session = known && Date.now() < known.renewAt ? known : await renew(id)
    const url = session.addresses.get(part)
    if (url === undefined) throw new StowageError('upload_ended', `Part ${part} is there already.`)
    return url
  }

  /** All that need not be sent: of what is put together, the storage does not tell the parts. */
  async function listHeld(id: string) {
    const { addresses, received } = await renew(id)
    const { size, chunk_size } = getFile(id).wanted
    return Array.from({ length: countParts(size, chunk_size) }, (_, index) => index + 1)
      .filter((part) => !addresses.has(part))
      .map((part) => ({ PartNumber: part, ETag: received.get(part)?.etag || 'held' }))
  }

  async function complete(id: string, uploadId: string): Promise<void> {
    // The service asks the storage what it holds.
    await completeSession(request, { id, uploadId, received: new Map() }, {})
    const { products, isAttached } = getFile(id)
    // The page was reloaded between the beginning of the upload and the attaching.
    if (products && !isAttached) await attachSession(request, { id }, { body: products })
    end(id)
  }

  function end(id: string): void {
    sessions.delete(id)
    ended.add(files.get(id)?.key ?? id)
  }

  /** Uppy sends an empty file with one PUT, and tells nobody when it is done. So it is done here. */
  async function storeEmpty(key: string): Promise<string> {
    const { id, uploadId, addresses } = await begin(key)
    const url = addresses.get(1)
    if (url !== undefined) await fetch(url, { method: 'PUT', body: new Blob([]) })
    await complete(id, uploadId)
    return id
  }

  async function signRequest(wanted: UppyRequest): Promise<UppySigned> {
    const { method, key, uploadId, partNumber } = wanted
    if (uploadId === undefined) {
      if (method === 'PUT') return { url: xmlAnswer({}), key: await storeEmpty(key) }
      const session = await begin(key)
      const result = { UploadId: session.uploadId }
      return { url: xmlAnswer({ InitiateMultipartUploadResult: result }), key: session.id }
    }
    if (partNumber !== undefined) return { url: await addressOf(key, partNumber) }
    if (method === 'GET') {
      return { url: xmlAnswer({ ListPartsResult: { Part: await listHeld(key) } }) }
    }
    if (method === 'DELETE') {
      // At once: who sends the same file again does not wait for the answer.
      end(key)
      await cancelSession(request, { id: key, uploadId }, {})
      return { url: xmlAnswer({}) }
    }
    await complete(key, uploadId)
    const result = { Location: `${baseUrl}/api/v1/assets/${key}`, Key: key }
    return { url: xmlAnswer({ CompleteMultipartUploadResult: result }) }
  }

  return {
    shouldUseMultipart: true,
    getChunkSize: ({ size }) => chunkSizeOf(size),
    generateObjectKey,
    signRequest,
  }
}
