import { type Client, isStowageError, type UnfinishedUpload } from '@stowage/client'
import { uploads as texts } from '../i18n/en/uploads.ts'
import { fill } from '../i18n/texts.ts'
import type { PickedFile, Replacement } from './picked-file.ts'

/** An unfinished upload that this tab does not run. It resumes when its file is chosen again. */
export interface ResumableUpload {
  id: string
  name: string
  size: number
  /** The folder that it came from. */
  path: string | null
  /** ISO 8601 */
  startedAt: string
  /** Why the chosen file was rejected, or why the upload could not be discarded. */
  problem: string | undefined
  /** The upload ID of a replacement, which is required to discard it. */
  replacement?: string | undefined
  /** The bytes that the service has received, if they are known. */
  received?: number | undefined
  /** The asset that the file replaces. */
  replaces?: Replacement | undefined
}

/**
 * Uploads that this browser started and that can be resumed. Skips uploads that run in another tab, and removes
 * ended uploads from the browser's records.
 */
export async function* findResumableUploads(client: Client): AsyncGenerator<ResumableUpload> {
  const isInOtherTab = await findLockedUploads()
  for (const { id, name, size, startedAt, replaces, uploadId } of await client.unfinished()) {
    if (isInOtherTab({ name, size })) continue
    const asset = await client.asset(id).catch((error: unknown) => {
      if (!isStowageError(error, 'not_found')) throw error
    })
    const upload = { id, name, size, startedAt, problem: undefined }
    if (asset?.status === 'uploading') yield { ...upload, path: asset.path }
    else if (asset !== undefined && replaces !== undefined) {
      const { filename } = asset
      yield { ...upload, path: null, replacement: uploadId, replaces: { id, filename } }
    } else await client.cancelUpload(id, uploadId === undefined ? {} : { upload_id: uploadId })
  }
}

/**
 * The upload of this file, by name and size. The folders must not differ, if both are known: a file that was
 * chosen alone has none. The client detects changed content when it resumes. A replacement is resumed only by
 * a file that replaces the same asset.
 */
export function findUploadOf<
  Upload extends Pick<ResumableUpload, 'name' | 'size' | 'path' | 'replaces'>,
>(uploads: readonly Upload[], { file, folder, replaces: target }: PickedFile): Upload | undefined {
  const found = uploads.filter(
    ({ name, size, replaces }) =>
      file.name === name && file.size === size && replaces?.id === target?.id,
  )
  const isSameFolder = ({ path }: Upload) => (path ?? '') === folder
  return found.find(isSameFolder) ?? found.find(({ path }) => folder === '' || path === null)
}

export function mismatchText({ name, size }: ResumableUpload, file: File): string | undefined {
  if (file.name !== name) return fill(texts.wrongName, { chosen: file.name, name })
  if (file.size === size) return undefined
  return fill(texts.wrongSize, { chosen: file.size, size })
}

type LockedFile = Pick<UnfinishedUpload, 'name' | 'size'>

const nameOf = ({ name, size }: LockedFile) => `stowage upload ${size} ${name}`

/** Undefined on insecure pages. Uploads in other tabs are not detected there. */
const locks = (): LockManager | undefined => navigator.locks

/** Shows other tabs that this tab is uploading the file, until the promise settles. */
export function lockUpload(file: LockedFile, ended: Promise<unknown>): void {
  const settled = ended.catch(() => {})
  void locks()?.request(nameOf(file), { mode: 'shared' }, () => settled)
}

/** Returns a function that reports whether another tab is uploading a file. */
async function findLockedUploads(): Promise<(file: LockedFile) => boolean> {
  const { held = [] } = (await locks()?.query()) ?? {}
  const names = new Set(held.map(({ name }) => name))
  return (file) => names.has(nameOf(file))
}
