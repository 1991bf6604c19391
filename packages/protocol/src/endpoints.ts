import type { Endpoint } from './endpoint.ts'
import * as endpoints from './endpoints/index.ts'

/** Every call of the API, in the order of the reference. */
export const ENDPOINTS: readonly Endpoint[] = [
  endpoints.requestUpload,
  endpoints.completeUpload,
  endpoints.cancelUpload,
  endpoints.resumeUpload,
  endpoints.resizeUpload,
  endpoints.listAssets,
  endpoints.readAsset,
  endpoints.listProductsOfAsset,
  endpoints.downloadAsset,
  endpoints.readDownloadAddress,
  endpoints.storeLink,
  endpoints.changeAsset,
  endpoints.deleteAsset,
  endpoints.attachProducts,
  endpoints.detachProducts,
  endpoints.putProducts,
  endpoints.listProducts,
  endpoints.readProduct,
  endpoints.listAssetsOfProduct,
  endpoints.deleteProduct,
  endpoints.readAccount,
  endpoints.readUsage,
  endpoints.listKeys,
  endpoints.createKey,
  endpoints.revokeKey,
  endpoints.health,
  endpoints.readiness,
  endpoints.openApi,
]
