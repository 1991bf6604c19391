export type {
  Asset,
  AssetChanges,
  AssetPage,
  BulkRequest,
  BulkResponse,
  CompletedPart,
  Delivery,
  DeliveryAttempt,
  DeliveryPage,
  DeliveryWithBody,
  EventPage,
  Key,
  KeyRequest,
  LinkRequest,
  ListAssetsQuery,
  ListDeliveriesQuery,
  ListEventsQuery,
  ListedUpload,
  ListProductGroupsQuery,
  ListProductsQuery,
  ListUploadsQuery,
  NewUploadToken,
  PageLinks,
  PageMeta,
  Product,
  ProductDetails,
  ProductGroup,
  ProductGroupPage,
  ProductPage,
  ProductReferences,
  ProductWithAssets,
  ResumedUpload,
  UploadPage,
  UploadSession,
  UploadToken,
  UploadTokenPage,
  UploadTokenRequest,
  Version,
  Webhook,
  WebhookChanges,
  WebhookRequest,
  WebhookWithSecret,
} from '@stowage/protocol'
export type {
  Account,
  AssetWith,
  Client,
  ListTrashQuery,
  NewKey,
  PageWith,
  ProductWith,
  UnfinishedUpload,
  Usage,
} from './client.ts'
export { createClient } from './create-client.ts'
export {
  type ClientErrorCode,
  type ErrorFacts,
  isStowageError,
  StowageError,
  type StowageErrorCode,
  type StowageErrorOf,
} from './errors.ts'
export type { EventsOptions, StowageEvent } from './events.ts'
export type { Listing } from './listing.ts'
export type {
  CallSettings,
  ClientOptions,
  ConnectOptions,
  DownloadOptions,
  PageQuery,
  RetryOptions,
} from './options.ts'
export type { BlobInput, StreamInput } from './upload/input.ts'
export type { Progress, UploadState } from './upload/progress.ts'
export type { SavedUpload, UploadStore } from './upload/store.ts'
export type { ByteStream } from './upload/stream-source.ts'
export type {
  GivenSession,
  ReplaceOptions,
  SessionBackend,
  Upload,
  UploadIds,
  UploadOptions,
} from './upload/types.ts'
