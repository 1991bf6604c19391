import type { Archive, ArchiveRequest, FolderMove, MoveFolderRequest } from '@stowage/protocol'
import type { CallSettings } from './options.ts'
import type { Request } from './request.ts'

/** The calls that few pages make, as in `Client`: their code is loaded on demand. */
export interface RareCalls {
  emptyTrash(settings?: CallSettings): Promise<void>
  deleteAll(settings?: CallSettings): Promise<void>
  moveFolder(request: MoveFolderRequest, settings?: CallSettings): Promise<FolderMove>
  folderMoves(settings?: CallSettings): Promise<FolderMove[]>
  zip(selection: ArchiveRequest, settings?: CallSettings): Promise<Archive>
}

export function createRareCalls({ data, json }: Request): RareCalls {
  return {
    async emptyTrash(settings) {
      await json('/trash', { ...settings, method: 'DELETE' })
    },
    async deleteAll(settings) {
      await json('/assets/deleted-all', { ...settings, method: 'POST' })
    },
    moveFolder: (body, settings) =>
      data<FolderMove>('/folders/move', { ...settings, isRepeatable: false, method: 'POST', body }),
    folderMoves: (settings) => data<FolderMove[]>('/folders/moves', settings),
    zip: (body, settings) => data<Archive>('/archives', { ...settings, method: 'POST', body }),
  }
}
