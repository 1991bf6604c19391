import { createHash } from 'node:crypto'
import { formatSize } from '@stowage/protocol/format'
import type { NewUpload, Reservation } from '../../database/account-data.ts'
import type { Upload } from '../../domain/asset.ts'
import { parseMediaType, problemWithFilename } from '../../domain/filename.ts'
import { LARGEST_PART, partPlan, partRanges, planParts } from '../../domain/parts.ts'
import { invalid, ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { getUpload } from './get-upload.ts'
import { openInStorage } from './open-in-storage.ts'
import { resumeUpload } from './resume-upload.ts'
import { type SignedPart, signParts } from './sign-parts.ts'
import { storageExceeded, storageFull } from './storage-exceeded.ts'

export interface FileDetails {
  name?: string | undefined
  filename?: string | undefined
  size: number
  mime?: string | undefined
  mime_type?: string | undefined
  /** Left out: as the settings say. */
  chunk_size?: number | undefined
}

type NewlyRequested = NewUpload['upload']

export interface UploadSession {
  upload: NewlyRequested
  parts: SignedPart[]
  /** When the URLs end; without any, when the upload does. */
  expiresAt: Date
}

/**
 * Reserves the file's size against the plan and opens its upload. The same idempotency key with
 * the same file gives the same session again, with addresses signed anew.
 */
export async function requestUpload(
  context: AccountContext,
  request: { file: FileDetails; idempotencyKey?: string | undefined },
): Promise<UploadSession> {
  const { data, storage, settings } = context
  const { filename, mime } = checkFile(request.file)
  const { size, chunk_size: chunkSize = settings.chunkSize } = request.file
  const plan = planParts(size, { chunkSize, maxParts: storage.maxParts })
  const createdAt = context.clock()
  const id = context.newId()
  const uploadId = context.newId()
  const upload: NewlyRequested = {
    asset: {
      id,
      accountId: context.accountId,
      kind: 'file',
      status: 'uploading',
      filename,
      bytes: size,
      mime,
      url: null,
      createdAt,
    },
    id: uploadId,
    storageId: uploadId,
    chunkSize: plan.chunkSize,
  }
  const { idempotencyKey } = request
  const asked = [filename, size, mime]
  if (request.file.chunk_size !== undefined) asked.push(request.file.chunk_size)
  const reserving = data.reserveUpload({
    upload,
    keptForMs: settings.uploadsKeptForMs,
    ...(idempotencyKey !== undefined && {
      idempotency: { key: idempotencyKey, digest: digestOf(asked) },
    }),
  })
  const reservation = await reserving.catch(async (error: unknown) => {
    // It may be reserved though the answer was lost. With a key, whoever asks again gets it.
    if (idempotencyKey === undefined) await giveBack(context, id)
    throw error
  })
  if (reservation.outcome === 'repeated') return repeatSession(context, reservation.upload)
  if (reservation.outcome !== 'reserved') throw refusal(reservation, size)
  return signSession(context, await createInStorage(context, upload))
}

function checkFile(file: FileDetails): { filename: string; mime: string } {
  const errors: Record<string, string[]> = {}
  const name = file.name ?? file.filename
  const field = file.name === undefined ? 'filename' : 'name'
  if (name === undefined) {
    errors.name = ['is required: send the file’s name']
  } else if (file.filename !== undefined && file.filename !== name) {
    errors.filename = ['must not differ from name: send one of them']
  } else {
    const problem = problemWithFilename(name)
    if (problem !== undefined) errors[field] = [problem]
  }
  const mime = parseMediaType(file.mime || file.mime_type)
  if (mime === undefined) {
    errors[file.mime ? 'mime' : 'mime_type'] = ['must be a media type such as application/zip']
  }
  if (name === undefined || mime === undefined || Object.keys(errors).length > 0) {
    throw invalid(errors)
  }
  return { filename: name, mime }
}

/** If the storage refuses, the reservation is given back; if we die here, it expires. */
async function createInStorage(
  context: AccountContext,
  upload: NewlyRequested,
): Promise<NewlyRequested> {
  try {
    await checkStorage(context, upload)
    // A repeated request may have been quicker, and what it opened is as good.
    return (await openInStorage(context, upload)) ?? (await getUpload(context, upload.asset.id))
  } catch (error) {
    await giveBack(context, upload.asset.id)
    throw error
  }
}

async function giveBack({ data, warn }: AccountContext, assetId: string): Promise<void> {
  try {
    await data.dropReservation(assetId)
  } catch (failure) {
    warn('a reservation stays until it expires', failure)
  }
}

async function repeatSession(context: AccountContext, upload: Upload): Promise<UploadSession> {
  const { status } = upload.asset
  // As when it is resumed: it gets its time again, and the storage is asked whether it knows it.
  if (status === 'uploading') {
    const { upload: resumed } = await resumeUpload(context, upload.asset.id).catch(orEnded)
    // It may have been completed meanwhile, and a finished upload takes no parts.
    return resumed.asset.status === 'uploading'
      ? signSession(context, resumed)
      : sessionWithoutParts(resumed)
  }
  if (status === 'completing' || status === 'ready') return sessionWithoutParts(upload)
  throw uploadEnded(`was ${status}`)
}

/** It ended while it was resumed. The caller named no asset that could be missing. */
function orEnded(error: unknown): never {
  const isGone = error instanceof ServiceError && error.code === 'not_found'
  throw isGone ? uploadEnded('has ended') : error
}

function uploadEnded(how: string): ServiceError {
  return new ServiceError(
    'upload_ended',
    `The upload of this Idempotency-Key ${how}. Use a new key to start over.`,
  )
}

/** Nothing is missing: a client that repeats its request continues with `uploaded`. */
function sessionWithoutParts(upload: Upload): UploadSession {
  return { upload, parts: [], expiresAt: upload.expiresAt }
}

async function signSession(
  context: AccountContext,
  upload: NewlyRequested,
): Promise<UploadSession> {
  const ranges = partRanges(partPlan(upload.asset.bytes, upload.chunkSize))
  return { upload, ...(await signParts(context, upload, ranges)) }
}

function refusal(
  reservation: Exclude<Reservation, { outcome: 'reserved' | 'repeated' }>,
  size: number,
): ServiceError {
  if (reservation.outcome === 'key_reused') {
    return new ServiceError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another file. Use a new key for each upload.',
    )
  }
  return storageExceeded(`The file needs ${formatSize(size)}`, size, reservation.usage)
}

/** Behind the plan's own check: what exceeds the plan is refused for that. */
async function checkStorage(
  { storage }: AccountContext,
  { asset, chunkSize }: NewlyRequested,
): Promise<void> {
  if (chunkSize > LARGEST_PART) throw tooManyBytes(storage.maxParts)
  const free = await storage.freeBytes()
  if (free !== undefined && asset.bytes > free) throw storageFull(asset.bytes, free)
}

function tooManyBytes(maxParts: number): ServiceError {
  const most = maxParts * LARGEST_PART
  return invalid({ size: [`must be at most ${most} bytes: ${maxParts} parts of 5 GiB each`] })
}

function digestOf(values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}
