import { createHash } from 'node:crypto'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { someBytes } from '@stowage/testing/service/upload'
import { type BulkJobAction, CHUNK_SIZE, INITIAL_PLAN, productOf } from './commands.ts'

/** A part that the storage must have. */
interface ModelPart {
  number: number
  content: number
  etag: string
  /** The size that was sent. The size of the upload may have changed since. */
  size: number
}

/** A version of a file. */
export interface ModelVersion {
  version: number
  size: number
  name: string
  parts: ModelPart[]
  /** The content and size of which the client declared the digest. */
  declares?: { content: number; size: number } | undefined
  /** Whether downloads do not get it: its bytes were not compared with the declared digest, or differ. */
  isWithheld?: boolean | undefined
}

/** An asset with its upload, or the upload of a new version of an asset. */
export interface ModelUpload {
  /** The ID of the asset; for a new version, the ID of the upload. */
  id: string
  /** The asset that gets a new version. */
  replaces?: string
  /** The number of the current version, and the highest number so far. */
  version: number
  lastVersion: number
  /** The versions that are not current. The one that was current last is the last one. */
  older: ModelVersion[]
  size: number
  /** A completed replacement is `merged`; one that the database has forgotten is `deleted`. */
  status: 'uploading' | 'ready' | 'trashed' | 'merged' | 'cancelled' | 'expired' | 'deleted'
  /** The storage still accepts parts, until a job removes the upload there. */
  isOpenInStorage?: boolean
  name: string
  path: string | null
  /** Sorted by their folded names. Undefined: none. */
  tags?: string[]
  /** Sorted by part number. */
  parts: ModelPart[]
  /** Of the current version, or of the upload. */
  declares?: ModelVersion['declares']
  isWithheld?: ModelVersion['isWithheld']
  /** The variants that it is attached to, sorted. */
  variants: number[]
  /** A completion may have begun and been refused. Then the size can no longer change. */
  isSizeFinal?: boolean
  /** A replacement of it may have begun whose response was lost. It expires. */
  hasLostReplacement?: boolean
  /** Its Idempotency-Key, if it was signed with one. */
  key?: string
  /** The bytes that count toward the upload token that it was signed with. */
  tokenBytes?: number
  /** The product that it is attached to when it is completed. */
  attaches?: number
}

/** A move whose process was killed before it moved the first asset. A job finishes it at any time. */
export interface ModelMove {
  from: string
  to: string
  /** The assets that will get their new path. */
  ids: string[]
}

/** A change in the background whose process was killed before it changed the first asset. A job makes it at any time. */
export interface ModelBulk {
  job: string
  action: BulkJobAction
  ids: string[]
  /** It undoes this change. */
  undoes?: ModelBulkResult
}

/** What a change in the background has changed. */
export interface ModelBulkResult {
  action: BulkJobAction
  /** The assets, with the folders from which they were moved. */
  changed: { id: string; path: string | null }[]
  isUndone: boolean
}

/** The data of an account according to the rules. Immutable: each step creates a new model. */
export interface Model {
  plan: number
  /** How many assets and unfinished uploads the plan allows. */
  maxAssets: number | null
  uploads: ModelUpload[]
  /** The assets that an interrupted `deleteAll` will move to the trash, at any time. */
  beingDeleted: string[]
  /** Moves of folders that were interrupted. They finish at any time. */
  beingMoved: ModelMove[]
  /** Changes in the background that were interrupted. Each is made as a whole, at any time. */
  beingChanged: ModelBulk[]
  /** The results of those that were made, by the ID of the change. */
  bulkResults: Record<string, ModelBulkResult>
  /** The ID of each product, by its variant. */
  products: Record<number, string>
  /** The vendor of each product, by its variant. */
  vendors: Record<number, string>
  /** Links. They are not attached to products. */
  links: { id: string; name: string }[]
}

export const EMPTY_MODEL: Model = {
  plan: INITIAL_PLAN,
  maxAssets: null,
  uploads: [],
  beingDeleted: [],
  beingMoved: [],
  beingChanged: [],
  bulkResults: {},
  products: {},
  vendors: {},
  links: [],
}

/** The result of a rule: undefined if the response is wrong. */
export function allowIf(isAllowed: boolean, model: Model): Model | undefined {
  return isAllowed ? model : undefined
}

export function findUpload(model: Model, id: string): ModelUpload | undefined {
  return model.uploads.find((upload) => upload.id === id)
}

export function changeUpload(model: Model, id: string, change: Partial<ModelUpload>): Model {
  // An asset that was deleted and is restored later stays. One that is replaced does not.
  const isKept = change.status === undefined || change.status === 'ready'
  const beingDeleted = isKept ? model.beingDeleted : model.beingDeleted.filter((one) => one !== id)
  const uploads = model.uploads.map((upload) =>
    upload.id === id ? { ...upload, ...change } : upload,
  )
  // An asset that gets another path while its folder is moved stays there.
  const isMoved = change.path !== undefined && change.path !== findUpload(model, id)?.path
  const beingMoved = isMoved
    ? model.beingMoved.map((move) => ({ ...move, ids: move.ids.filter((one) => one !== id) }))
    : model.beingMoved
  return { ...model, uploads, beingDeleted, beingMoved }
}

export function bytesIn(model: Model, status: 'uploading' | 'ready' | 'trashed'): number {
  const bytesOf = (sum: number, { size }: { size: number }) => sum + size
  return model.uploads
    .filter((one) => one.status === status)
    .reduce((sum, one) => one.older.reduce(bytesOf, sum + one.size), 0)
}

export function readyUploads(model: Model): ModelUpload[] {
  return model.uploads.filter(({ status }) => status === 'ready')
}

/** Whether the storage has every part for the current size, and no part beyond it. */
export function hasAllParts({ size, parts }: ModelUpload): boolean {
  return (
    parts.length === partCount(size) &&
    parts.every(
      (part) => part.number <= partCount(size) && part.size === partSize(size, part.number),
    )
  )
}

/** The bytes that need not be sent again. */
export function receivedBytes({ size, parts }: ModelUpload): number {
  const fitting = parts.filter(
    (part) => part.number <= partCount(size) && part.size === partSize(size, part.number),
  )
  return fitting.reduce((sum, part) => sum + part.size, 0)
}

function partSize(size: number, number: number): number {
  return Math.min(CHUNK_SIZE, size - (number - 1) * CHUNK_SIZE)
}

/** An empty file has one empty part. */
export function partCount(size: number): number {
  return Math.max(1, Math.ceil(size / CHUNK_SIZE))
}

/** Whether the plan allows this many more assets. */
export function allowsAssets({ maxAssets, uploads, links }: Model, needed: number): boolean {
  const own = uploads.filter((upload) => isVisible(upload) && upload.replaces === undefined)
  return maxAssets === null || own.length + links.length + needed <= maxAssets
}

export function isVisible({ status }: ModelUpload): boolean {
  return status === 'uploading' || status === 'ready'
}

/** Lower than the default of the service, so that replacements often remove a version. */
export const KEEP_VERSIONS = 1

/** The asset after another version became its current one. */
export function withCurrent(asset: ModelUpload, content: ModelVersion): ModelUpload {
  const { version, size, name, parts, declares, isWithheld } = asset
  const replaced = { version, size, name, parts, declares, isWithheld }
  const others = asset.older.filter((one) => one.version !== content.version)
  const lastVersion = Math.max(asset.lastVersion, content.version)
  const withheld = { declares: content.declares, isWithheld: content.isWithheld }
  return { ...asset, ...content, ...withheld, lastVersion, older: [...others, replaced] }
}

/** The version that downloads get. */
export function servedVersion(asset: ModelUpload): ModelVersion | undefined {
  return [...asset.older, asset].findLast(({ isWithheld }) => !isWithheld)
}

/** The version that downloads get is kept in addition to those that were replaced last. */
function withoutOldest(asset: ModelUpload): ModelUpload {
  const served = servedVersion(asset)
  const older = asset.older.filter(
    (one, index) => one === served || index >= asset.older.length - KEEP_VERSIONS,
  )
  return { ...asset, older }
}

/** The model after all files were compared with their declared digests. */
export function withComparedFiles(model: Model): Model {
  const uploads = model.uploads.map((upload) => {
    const older = upload.older.map((one) => (hasDeclaredBytes(one) ? release(one) : one))
    const isReleased = older.some((one, index) => one !== upload.older[index])
    const compared = { ...(hasDeclaredBytes(upload) ? release(upload) : upload), older }
    if (!isReleased && !hasDeclaredBytes(upload)) return upload
    return withoutOldest(compared)
  })
  return { ...model, uploads }
}

function release<Version extends ModelVersion>(version: Version): Version {
  return { ...version, isWithheld: false }
}

function hasDeclaredBytes({ isWithheld, declares, size, parts }: ModelVersion): boolean {
  if (!isWithheld || declares === undefined || size !== declares.size) return false
  return size === 0 || parts.every(({ content }) => content === declares.content)
}

/** Completes an upload: its asset becomes ready, or gets a new version. */
export function completeUpload(model: Model, upload: ModelUpload): Model {
  const asset = upload.replaces === undefined ? undefined : findUpload(model, upload.replaces)
  if (asset === undefined) {
    const chosen = variantsOf(model, upload.attaches)
    const variants = [...new Set([...upload.variants, ...chosen])].sort()
    return changeUpload(model, upload.id, { status: 'ready', variants })
  }
  const { size, parts, declares } = upload
  const version = asset.lastVersion + 1
  const replacement = { version, size, name: asset.name, parts, declares }
  const withheld = { ...replacement, isWithheld: declares !== undefined }
  // On disk, the completion of a small file reads its bytes.
  const isRead = !isOnS3 && partCount(size) === 1
  const isReleased = isRead && hasDeclaredBytes(withheld)
  const changed = withCurrent(asset, isReleased ? release(withheld) : withheld)
  return changeUpload(changeUpload(model, asset.id, withoutOldest(changed)), upload.id, {
    status: 'merged',
    parts: [],
  })
}

/** The stored variants of a product. */
function variantsOf(model: Model, product: number | undefined): number[] {
  return Object.keys(model.products)
    .map(Number)
    .filter((variant) => productOf(variant) === product)
}

/** The bytes and files that count toward the upload token. */
export function tokenUse({ uploads }: Model): { bytes: number; files: number } {
  const counted = uploads.filter(
    ({ status, tokenBytes }) =>
      tokenBytes !== undefined && status !== 'cancelled' && status !== 'expired',
  )
  const bytes = counted.reduce((sum, { tokenBytes = 0 }) => sum + tokenBytes, 0)
  return { bytes, files: counted.length }
}

/** The unfinished replacement of an asset. */
export function replacementOf(
  model: Model,
  { id }: Pick<ModelUpload, 'id'>,
): ModelUpload | undefined {
  return model.uploads.find(({ replaces, status }) => replaces === id && status === 'uploading')
}

/** The status of a refusal because the upload has ended; undefined if it has not. */
export function endedStatus(model: Model, upload: ModelUpload): number | undefined {
  if (upload.replaces === undefined) return isVisible(upload) ? undefined : 404
  if (findUpload(model, upload.replaces)?.status !== 'ready') return 404
  if (upload.status === 'deleted') return 422
  return upload.status === 'uploading' || upload.status === 'merged' ? undefined : 404
}

/** The bytes of a part. Each content has different bytes, so that mixed content would be detected. */
export function partBytes({ start, end }: { start: number; end: number }, content: number): Buffer {
  return someBytes(end, content).subarray(start, end)
}

/** The SHA-256 of the bytes of a version. */
export function digestOf({ size, parts }: Pick<ModelVersion, 'size' | 'parts'>): string {
  const bytes = parts.map(({ number, content }) => {
    const start = (number - 1) * CHUNK_SIZE
    return partBytes({ start, end: Math.min(size, start + CHUNK_SIZE) }, content)
  })
  return sha256(Buffer.concat(bytes))
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The tags of an asset after these were added: each once, as it was first spelled, sorted without regard to case. */
export function withTags(tags: string[], added: string[]): string[] {
  const spellings = Map.groupBy([...tags, ...added], (tag) => tag.toLowerCase())
  return [...spellings].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, [first]]) => first ?? [])
}
