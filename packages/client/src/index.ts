export type {
  Asset,
  AssetChanges,
  AssetPage,
  Key,
  KeyRequest,
  LinkRequest,
  ListAssetsQuery,
  ListProductsQuery,
  PageLinks,
  PageMeta,
  Product,
  ProductDetails,
  ProductPage,
  ProductReferences,
  ProductWithAssets,
} from '@stowage/protocol'
export {
  type Account,
  type Client,
  type ClientOptions,
  createClient,
  type DownloadOptions,
  type NewKey,
  type PageQuery,
  type UnfinishedUpload,
  type Usage,
} from './create-client.ts'
export {
  type ClientErrorCode,
  isStowageError,
  StowageError,
  type StowageErrorCode,
} from './errors.ts'
export type { Listing } from './listing.ts'
export type { CallSettings } from './request.ts'
export type { RetryOptions } from './retry-policy.ts'
export type { BlobInput, StreamInput } from './upload/input.ts'
export type { ByteStream } from './upload/part-reader.ts'
export type { Progress, UploadState } from './upload/progress.ts'
export type { SavedUpload, UploadStore } from './upload/store.ts'
export type { Upload, UploadOptions } from './upload/upload.ts'
