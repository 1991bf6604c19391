import { createHash } from 'node:crypto'
import { formatSize } from '@stowage/protocol/format'
import type { NewUpload, Reservation } from '../../database/account-data.ts'
import { type Asset, NOT_VERIFIED, type Upload } from '../../domain/asset.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import type { Actor } from '../../domain/key.ts'
import { parseMediaType } from '../../domain/media-type.ts'
import { normalizePath, problemWithFilename, problemWithPath } from '../../domain/names.ts'
import { MAX_PART_SIZE, partPlan, partRanges, planParts } from '../../domain/parts.ts'
import { normalizeTags } from '../../domain/tags.ts'
import { availableBytes } from '../../domain/usage.ts'
import type { AccountContext } from '../context.ts'
import {
  assetNotFound,
  assetsExceeded,
  notReplaceable,
  replacementInProgress,
  storageExceeded,
  storageFull,
  tokenExceeded,
  tokenExpired,
  tooManyTags,
} from '../refusals.ts'
import { checkMediaType, checkReplaced } from '../tokens.ts'
import { getReplaced } from '../versions.ts'
import { openInStorage, type SignedPart, signParts } from './in-storage.ts'
import { resumeFound } from './resume.ts'
import {
  type DiskSpace,
  findDiskSpace,
  makeDiskSpace,
  reserveProvisionally,
  wholeParts,
} from './space.ts'

export interface FileDetails {
  /** May only be left out for a replacement, which then keeps the name of the asset. */
  filename?: string | undefined
  size: number
  /**
   * For a stream of unknown length: this many bytes are certain, and `size` is an estimate, which removes no trash. The
   * upload gets a smaller size if the estimate does not fit.
   */
  minSize?: number | undefined
  mime?: string | undefined
  /** Undefined: the chunk size from the settings, or `maxChunkSize` if that is smaller. */
  chunkSize?: number | undefined
  maxChunkSize?: number | undefined
  /** The SHA-256 that the file has, in hexadecimal. */
  sha256?: string | undefined
  /** The folder that the file came from. */
  path?: string | null | undefined
  tags?: string[] | undefined
}

type NewlyRequested = NewUpload['upload']

export interface UploadSession {
  upload: Upload
  parts: SignedPart[]
  /** Undefined if there are no URLs. */
  urlsExpireAt: Date | undefined
}

interface RequestedUpload {
  file: FileDetails
  idempotencyKey?: string | undefined
  startedBy: Actor | null
  /** The asset that gets a new version. It stays as it is until the upload is completed. */
  replaces?: string | undefined
}

/**
 * Reserves the file’s size against the plan and opens its upload. The same idempotency key with the
 * same file returns the same session with newly signed URLs.
 */
export async function requestUpload(
  context: AccountContext,
  request: RequestedUpload,
): Promise<UploadSession> {
  const replaced = await checkRequest(context, request)
  const upload = planUpload(context, request, replaced)
  const idempotency = idempotencyOf(context, request, upload)
  const least = request.file.minSize ?? request.file.size
  const disk = await findDiskSpace(context, least)
  const { size, result } = await reserve(context, { upload, least, disk, idempotency })
  if (result.outcome === 'repeated') return repeatSession(context, result.upload)
  if (result.outcome === 'no_free_room') throw await refuseWithoutRoom(context, least, disk.free)
  if (result.outcome !== 'reserved') throw refusal(result, size)
  const isDiskFull = disk.free !== undefined && disk.free < least
  const created = await createInStorage(context, withSize(upload, size), isDiskFull ? least : 0)
  return signSession(context, { ...created, expiresAt: result.expiresAt })
}

/** Refuses a request that its upload token does not allow. Returns the asset that gets a new version, if there is one. */
async function checkRequest(
  context: AccountContext,
  { file: { size, minSize }, replaces }: RequestedUpload,
): Promise<Asset | undefined> {
  if (context.uploadToken !== undefined) checkReplaced(context.uploadToken, replaces)
  if (minSize !== undefined && minSize > size) throw invalid({ minSize: ['must be at most size'] })
  return replaces === undefined ? undefined : getReplaced(context, replaces)
}

function planUpload(
  context: AccountContext,
  { file, startedBy }: RequestedUpload,
  replaced: Asset | undefined,
): NewlyRequested {
  const { storage, settings, uploadToken } = context
  const { filename, mime } = checkFile(file, replaced)
  if (uploadToken !== undefined) checkMediaType(uploadToken, mime)
  const { maxChunkSize = settings.chunkSize } = file
  const chunkSize = file.chunkSize ?? Math.min(settings.chunkSize, maxChunkSize)
  const plan = planParts(file.size, { chunkSize, maxParts: storage.maxParts })
  const createdAt = context.clock()
  const id = context.newId()
  const uploadId = context.newId()
  return {
    status: 'uploading',
    asset: {
      id,
      accountId: context.accountId,
      kind: 'file',
      filename,
      bytes: file.size,
      mime,
      url: null,
      createdAt,
      updatedAt: createdAt,
      version: 1,
      path: replaced ? replaced.path : normalizePath(file.path),
      // A replacement does not change the tags of its asset.
      tags: replaced ? [] : normalizeTags(file.tags ?? []),
      isInline: false,
      integrity: { ...NOT_VERIFIED, sha256: file.sha256?.toLowerCase() ?? null },
    },
    replaces: replaced ? { assetId: replaced.id, keepsName: file.filename === undefined } : null,
    key: id,
    id: uploadId,
    storageId: uploadId,
    chunkSize: plan.chunkSize,
    startedBy,
    tokenId: uploadToken?.id ?? null,
  }
}

/**
 * Refuses an invalid name, media type or path. Returns the name and the media type: by default those of the
 * replaced asset.
 */
function checkFile(
  { filename = '', mime: given, path }: FileDetails,
  replaced: Asset | undefined,
): { filename: string; mime: string } {
  const errors: Record<string, string[]> = {}
  const keepsName = replaced !== undefined && filename === ''
  const problem = keepsName ? undefined : problemWithFilename(filename)
  if (problem !== undefined) errors.filename = [problem]
  const pathProblem = path == null ? undefined : problemWithPath(path)
  if (pathProblem !== undefined) errors.path = [pathProblem]
  const mime = replaced && !given ? replaced.mime : parseMediaType(given)
  if (mime === undefined) errors.mime = ['must be a media type such as application/zip']
  if (mime === undefined || Object.keys(errors).length > 0) throw invalid(errors)
  return { filename: keepsName ? replaced.filename : filename, mime }
}

/** The idempotency key, and a digest of the file: another file with the same key is refused. */
function idempotencyOf(
  { uploadToken }: AccountContext,
  { file, idempotencyKey }: RequestedUpload,
  { asset, replaces }: NewlyRequested,
): NewUpload['idempotency'] {
  if (idempotencyKey === undefined) return undefined
  // The digest excludes `maxChunkSize`, because an existing session keeps its parts.
  const requested = replaces
    ? [replaces.assetId, file.filename ?? null, file.size, file.mime ?? null]
    : [asset.filename, file.size, asset.mime]
  if (file.chunkSize !== undefined) requested.push(file.chunkSize)
  if (asset.path !== null && replaces === null) requested.push(asset.path)
  if (asset.integrity.sha256 !== null) requested.push(asset.integrity.sha256)
  if (asset.tags.length > 0) requested.push(`tags ${JSON.stringify(asset.tags)}`)
  if (file.minSize !== undefined) requested.push(`at least ${file.minSize}`)
  // A page must not find uploads of others by their idempotency keys.
  const key = uploadToken ? `${uploadToken.id} ${idempotencyKey}` : idempotencyKey
  return { key, digest: digestOf(requested) }
}

function digestOf(values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}

/** Reserves the certain size, or as much of an estimated one as fits. Returns the size, and the outcome for it. */
async function reserve(
  context: AccountContext,
  options: {
    upload: NewlyRequested
    least: number
    disk: DiskSpace
    idempotency: NewUpload['idempotency']
  },
): Promise<{ size: number; result: Reservation }> {
  const { upload, least, disk, idempotency } = options
  const { chunkSize, asset } = upload
  const attempt = (bytes: number, isProvisional: boolean): Promise<Reservation> =>
    context.data.reserveUpload({
      upload: withSize(upload, bytes),
      keptForMs: context.settings.uploadsKeptForMs,
      ...(idempotency !== undefined && { idempotency }),
      ...(isProvisional && { isProvisional }),
    })
  const wanted =
    disk.free === undefined ? asset.bytes : Math.min(asset.bytes, wholeParts(disk.free, chunkSize))
  try {
    // If the disk has no room for the file, even without the trash, the reservation must not remove trash in vain.
    return disk.freeWithoutTrash < least
      ? { size: least, result: await attempt(least, true) }
      : await reserveProvisionally({ least, wanted, chunkSize }, attempt)
  } catch (error) {
    // The reservation may exist although its result was lost. With an idempotency key, the next request finds it.
    if (idempotency === undefined) await dropReservation(context, asset.id)
    throw error
  }
}

function withSize(upload: NewlyRequested, bytes: number): NewlyRequested {
  return { ...upload, asset: { ...upload.asset, bytes } }
}

async function dropReservation({ data, warn }: AccountContext, assetId: string): Promise<void> {
  try {
    await data.dropReservation(assetId)
  } catch (failure) {
    warn('could not release reserved storage; it is released when the upload expires', failure)
  }
}

async function repeatSession(context: AccountContext, upload: Upload): Promise<UploadSession> {
  const { status } = upload
  if (status === 'uploading') {
    // Resuming extends the expiry and opens the upload again if the storage has lost it.
    const { upload: resumed } = await resumeFound(context, upload).catch(orEnded)
    // It may have been completed in the meantime; then it accepts no parts.
    return resumed.status === 'uploading'
      ? signSession(context, resumed)
      : sessionWithoutParts(resumed)
  }
  if (status === 'completing' || status === 'ready') return sessionWithoutParts(upload)
  throw uploadEnded(status === 'expired' ? 'has expired' : `was ${status}`)
}

/** The upload ended while it was resumed. The caller did not name it, so `not_found` would mislead. */
function orEnded(error: unknown): never {
  const isGone = error instanceof ServiceError && error.code === 'not_found'
  throw isGone ? uploadEnded('has ended') : error
}

function uploadEnded(how: string): ServiceError {
  return new ServiceError(
    'upload_ended',
    `The upload of this Idempotency-Key ${how}. Use a new key to start a new upload.`,
  )
}

/** No part is missing: a client that repeats its request continues with the completion. */
function sessionWithoutParts(upload: Upload): UploadSession {
  return { upload, parts: [], urlsExpireAt: undefined }
}

/** Neither the disk nor the free room of the plan is sufficient. The plan is the reason if even its trash is too small. */
async function refuseWithoutRoom(
  { data }: AccountContext,
  size: number,
  free: number | undefined,
): Promise<ServiceError> {
  const { limit, stored, reserved } = await data.readSummary()
  const usage = { limit, stored, reserved }
  return size > availableBytes(usage)
    ? storageExceeded(`The file needs ${formatSize(size)}`, size, usage)
    : storageFull(size, free ?? 0)
}

function refusal(
  reservation: Exclude<Reservation, { outcome: 'reserved' | 'repeated' | 'no_free_room' }>,
  size: number,
): ServiceError {
  if (reservation.outcome === 'key_reused') {
    return new ServiceError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used with another body. Use a new key for each upload.',
    )
  }
  if (reservation.outcome === 'not_replaceable') return notReplaceable(reservation.asset)
  if (reservation.outcome === 'replacement_in_progress') {
    return replacementInProgress(reservation.uploadId)
  }
  if (reservation.outcome === 'token_exceeded') return tokenExceeded(size, reservation.remaining)
  if (reservation.outcome === 'token_expired') return tokenExpired(reservation)
  if (reservation.outcome === 'too_many_tags') return tooManyTags()
  if (reservation.outcome === 'assets_exceeded') {
    return assetsExceeded('The upload needs 1 asset', reservation)
  }
  return storageExceeded(`The file needs ${formatSize(size)}`, size, reservation.usage)
}

/** If the storage fails, the reservation is dropped. If the process is killed here, the reservation expires. */
async function createInStorage(
  context: AccountContext,
  upload: NewlyRequested,
  neededOnDisk: number,
): Promise<NewlyRequested> {
  try {
    await checkStorage(context, upload, neededOnDisk)
    // A repeated request may have opened it first; then this call uses that upload.
    return (await openInStorage(context, upload)) ?? (await getOpened(context, upload))
  } catch (error) {
    await dropReservation(context, upload.asset.id)
    throw error
  }
}

/**
 * Runs after the reservation: a file that exceeds the plan is refused for that reason. `neededOnDisk` is the size of a
 * file for which the disk had no space; otherwise 0.
 */
async function checkStorage(
  context: AccountContext,
  { chunkSize }: NewlyRequested,
  neededOnDisk: number,
): Promise<void> {
  if (chunkSize > MAX_PART_SIZE) throw tooLarge(context.storage.maxParts)
  if (neededOnDisk === 0) return
  const free = await makeDiskSpace(context, neededOnDisk)
  if (free !== undefined && neededOnDisk > free) throw storageFull(neededOnDisk, free)
}

function tooLarge(maxParts: number): ServiceError {
  const most = maxParts * MAX_PART_SIZE
  return invalid({ size: [`must be at most ${most} bytes (${maxParts} parts of 5 GiB)`] })
}

async function getOpened({ data }: AccountContext, { asset }: NewlyRequested): Promise<Upload> {
  const upload = await data.findUpload(asset.id)
  if (upload === undefined) throw assetNotFound()
  return upload
}

async function signSession(context: AccountContext, upload: Upload): Promise<UploadSession> {
  const ranges = partRanges(partPlan(upload.asset.bytes, upload.chunkSize))
  return { upload, ...(await signParts(context, upload, ranges)) }
}
