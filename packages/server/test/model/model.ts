import { CHUNK_SIZE, INITIAL_PLAN } from './commands.ts'

/** A part as the storage must hold it. */
export interface ModelPart {
  number: number
  content: number
  etag: string
  /** The size that was sent. The size of the upload may have changed since. */
  size: number
}

export interface ModelUpload {
  id: string
  size: number
  status: 'uploading' | 'ready' | 'cancelled' | 'expired' | 'deleted'
  name: string
  path: string | null
  /** By part number. */
  parts: ModelPart[]
  /** The variants that it is attached to, sorted. */
  variants: number[]
  /** A completion may have begun and been refused. Then the size can no longer change. */
  isSizeFinal?: boolean
  /** Its Idempotency-Key, if it was signed with one. */
  key?: string
}

/** The data of an account according to the rules. Immutable: each step creates a new model. */
export interface Model {
  plan: number
  uploads: ModelUpload[]
  /** The ID of each product, by its variant. */
  products: Record<number, string>
  /** The vendor of each product, by its variant. */
  vendors: Record<number, string>
}

export const EMPTY_MODEL: Model = { plan: INITIAL_PLAN, uploads: [], products: {}, vendors: {} }

export function findUpload(model: Model, id: string): ModelUpload | undefined {
  return model.uploads.find((upload) => upload.id === id)
}

export function changeUpload(model: Model, id: string, change: Partial<ModelUpload>): Model {
  const uploads = model.uploads.map((upload) =>
    upload.id === id ? { ...upload, ...change } : upload,
  )
  return { ...model, uploads }
}

export function bytesIn(model: Model, status: 'uploading' | 'ready'): number {
  return model.uploads.reduce((sum, one) => (one.status === status ? sum + one.size : sum), 0)
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

export function isVisible({ status }: ModelUpload): boolean {
  return status === 'uploading' || status === 'ready'
}
