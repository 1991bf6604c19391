import type { UploadQuery } from '../../database/account-data.ts'
import type { Upload } from '../../domain/asset.ts'
import type { PagePosition } from '../../domain/paging.ts'
import { partPlan } from '../../domain/parts.ts'
import type { ReceivedParts } from '../../domain/received-parts.ts'
import { foldText } from '../../domain/search-text.ts'
import type { AccountContext } from '../context.ts'
import { readPage } from '../listing/read-page.ts'
import { createReceivedReader } from './read-received.ts'

/** An empty filter means no filter. */
export interface UploadListRequest extends Omit<UploadQuery, 'name'> {
  filename?: string | undefined
}

export interface ListedUpload {
  upload: Upload
  /** The number of parts of the whole file. */
  parts: number
  /** Undefined if the storage failed, or did not respond within the time limit. */
  received: ReceivedParts | undefined
}

/** Returns a function that lists unfinished uploads. All of its calls share a limit on calls to the storage. */
export function createUploadList(readReceived = createReceivedReader()) {
  return async (
    context: AccountContext,
    { filename, ...rest }: UploadListRequest,
  ): Promise<{ uploads: ListedUpload[]; position: PagePosition }> => {
    const query: UploadQuery = { ...rest, ...(filename && { name: foldText(filename) }) }
    const cursorOf = ({ asset }: Upload) => asset.id
    const { rows, position } = await readPage(query, context.data.listUploads, cursorOf)
    const uploading = rows.filter(({ asset }) => asset.status === 'uploading')
    const received = await readReceived(context, uploading)
    const uploads = rows.map((upload) => {
      const { bytes, status } = upload.asset
      const parts = partPlan(bytes, upload.chunkSize).count
      // A completion begins only when the storage has every part.
      const all = status === 'completing' ? { parts, bytes } : undefined
      return { upload, parts, received: all ?? received.get(upload.asset.id) }
    })
    return { uploads, position }
  }
}
