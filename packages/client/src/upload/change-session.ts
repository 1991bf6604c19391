import type { Asset, ProductReferences, ResumedUpload } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import { unlessAborted } from '../pause.ts'
import type { Request } from '../request.ts'
import { type CallOptions, referenceOf, type Session, sessionOf } from './session.ts'
import type { Source } from './source.ts'

/** Attaches the asset to products. Works while it is uploading, and can be repeated. */
export async function attachSession(
  request: Request,
  { id }: Pick<Session, 'id'>,
  call: CallOptions & { body: ProductReferences },
): Promise<Asset['products']> {
  const asset = await request
    .data<Asset>('/assets/:id/attach', { ...call, id, method: 'POST' })
    .catch(explain('attach', 'pass it when the token is created: createUploadToken({ attach })'))
  return asset.products
}

/** Changes the path of an upload that was started with another path. */
export async function moveSession(
  request: Request,
  { id }: Pick<Session, 'id'>,
  call: CallOptions & { path: string | null },
): Promise<void> {
  const { path, ...settings } = call
  await request
    .json('/assets/:id', { ...settings, id, method: 'PUT', body: { path } })
    .catch(explain('path', 'pass the path with which the upload was started, or resume: false'))
}

/** An upload token may start uploads, but not change them: names the option that needs a change. */
function explain(option: string, advice: string) {
  return (error: unknown): never => {
    if (!isStowageError(error, 'forbidden')) throw error
    throw withMessage(
      error,
      `An upload token refuses the option “${option}”. Omit it, or ${advice}.`,
    )
  }
}

function withMessage(cause: StowageError, message: string): StowageError {
  const { code, status, errors, facts, requestId } = cause
  return new StowageError(code, message, { status, errors, facts, requestId, cause })
}

/**
 * Declares the next size of a stream of unknown length. Returns false if the actual size is already
 * declared.
 */
export async function declareNext(
  request: Request,
  { source, session, call }: { source: Source; session: Session; call: CallOptions },
): Promise<boolean> {
  const next = source.nextSize?.()
  const declared = next && (await unlessAborted(next, call.signal))
  if (declared === undefined) return false
  try {
    await resizeSession(request, session, { ...call, ...declared })
  } catch (error) {
    if (isStowageError(error, 'invalid')) throw tooLong(source.name, error)
    const { minSize: size } = declared
    // A service without estimates refuses them: it may have storage for what was read.
    if (size === undefined || !isStowageError(error) || !NO_STORAGE.test(error.code)) {
      throw explainUnknownLength(source, error)
    }
    await resizeSession(request, session, { ...call, size })
  }
  source.size = session.bytes
  return true
}

const NO_STORAGE = /^storage_(exceeded|full)$/

function tooLong(name: string, cause: StowageError): StowageError {
  return withMessage(
    cause,
    `${name} is too long for a stream of unknown length. Pass its size: upload(stream, { size }).`,
  )
}

/** Without its length, a stream is refused only after so much of it was read, and perhaps sent. */
export function explainUnknownLength({ name }: Pick<Source, 'name'>, error: unknown): unknown {
  if (!isStowageError(error, 'upload_token_exceeded')) return error
  return withMessage(
    error,
    `${error.message} ${name} is a stream without the option “size”, so it was read until it was longer than the token allows. Pass its size to check it before it is read.`,
  )
}

/** Declares another size. No part may be in transit. */
async function resizeSession(
  request: Request,
  session: Session,
  { size, minSize, ...call }: CallOptions & { size: number; minSize?: number },
): Promise<void> {
  const { id, uploadId } = referenceOf(session)
  const fresh = sessionOf(
    await request.json<ResumedUpload>('/assets/:id/upload', {
      ...call,
      id,
      query: { upload_id: uploadId },
      method: 'PATCH',
      body: { size, min_size: minSize },
    }),
    session.isReplacement,
  )
  const received = new Map([...fresh.received, ...session.received])
  Object.assign(session, { ...fresh, received })
}
