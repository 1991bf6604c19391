import type {
  Archive,
  ArchiveRequest,
  EventPage,
  FolderList,
  FolderMove,
  ListEventsQuery,
  ListFoldersQuery,
  MoveFolderRequest,
  Product,
  ProductDetails,
} from '@stowage/protocol'
import type { CallSettings } from './options.ts'
import { type Request, splitSettings } from './request.ts'

const EVENT_FILTERS = 'after order before type limit actor search from to'

/** The calls that few pages make, as in `Client`: their code is loaded on demand. */
export interface RareCalls {
  emptyTrash(settings?: CallSettings): Promise<void>
  deleteAll(settings?: CallSettings): Promise<void>
  moveFolder(request: MoveFolderRequest, settings?: CallSettings): Promise<FolderMove>
  folderMoves(settings?: CallSettings): Promise<FolderMove[]>
  folders(query?: ListFoldersQuery & CallSettings): Promise<FolderList>
  listEvents(query?: ListEventsQuery & CallSettings): Promise<EventPage>
  putProducts(products: ProductDetails[], settings?: CallSettings): Promise<Product[]>
  arrangeFiles(productId: string, assetIds: string[], settings?: CallSettings): Promise<void>
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
    folders: (query) => json<FolderList>('/folders', splitSettings('path limit after', query)),
    listEvents: (query) => json<EventPage>('/events', splitSettings(EVENT_FILTERS, query)),
    putProducts: (products, settings) =>
      data<Product[]>('/products', { ...settings, method: 'PUT', body: { products } }),
    async arrangeFiles(id, assets, settings) {
      await json('/products/:id/assets', { ...settings, id, method: 'PUT', body: { assets } })
    },
    zip: (body, settings) => data<Archive>('/archives', { ...settings, method: 'POST', body }),
  }
}
