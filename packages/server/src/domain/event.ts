import type { Asset, AssetVersion } from './asset.ts'
import type { Actor, Key } from './key.ts'
import type { EventMail } from './mail.ts'
import type { DownloadedFile, EventOrder } from './order.ts'
import type { Product } from './product.ts'
import type { UploadToken } from './upload-token.ts'
import type { Usage } from './usage.ts'
import type { DisabledReason, Webhook } from './webhook.ts'

/** Who made a change. */
export interface EventActor {
  /** `anonymous`: the service requires no key. `buyer`: somebody with the URL of a download page. */
  type: 'key' | 'upload_token' | 'buyer' | 'job' | 'operator' | 'anonymous'
  /** The ID of the key, of the token, or of the order of the buyer; null for the key from the settings, and for all other types. */
  id: string | null
  /** The name of the key, of the key that created the token, or of the job; null for all other types. */
  name: string | null
}

/** Commands that need no running service, such as `stowage keys add`. */
export const OPERATOR: EventActor = { type: 'operator', id: null, name: null }

export function jobActor(name: string): EventActor {
  return { type: 'job', id: null, name }
}

/** Somebody with the URL of an order's download page. */
export function buyerActor(orderId: string): EventActor {
  return { type: 'buyer', id: orderId, name: null }
}

/** The key that made a call; null if the service requires none. */
export function keyActor(key: Actor | null): EventActor {
  return key === null ? { type: 'anonymous', id: null, name: null } : { type: 'key', ...key }
}

/** An upload token. Its name is that of the key that created it; null if the service requires none. */
export function tokenActor(id: string, createdBy: string | null): EventActor {
  return { type: 'upload_token', id, name: createdBy }
}

export type AssetEventType =
  | 'asset.ready'
  | AssetChangeType
  | 'asset.deleted'
  | 'asset.restored'
  | 'asset.removed'
/** The types of events whose data has more than the asset: `AssetUpdate` and `AssetReplacement`. */
export type AssetChangeType = 'asset.updated' | 'asset.replaced'
export type UploadEventType =
  | 'upload.started'
  | 'upload.updated'
  | 'upload.cancelled'
  | 'upload.expired'
export type AttachmentEventType = 'asset.attached' | 'asset.detached'
export type ProductEventType = 'product.updated' | 'product.deleted'
export type KeyEventType = 'key.created' | 'key.revoked'
export type TokenEventType = 'token.created' | 'token.revoked'
export type OrderEventType = 'order.created' | 'order.updated' | 'order.revoked'
export type DownloadEventType = 'order.downloaded' | 'order.limit_reached' | 'order.more_requested'
export type MailEventType = 'mail.sent' | 'mail.failed'
type AccountEventType = 'account.storage_low' | 'account.suspended' | 'account.resumed'
type WebhookEventType = 'webhook.created' | 'webhook.updated' | 'webhook.deleted'

/** The data of an event is the resource right after the change. */
type EventContent =
  | { type: Exclude<AssetEventType, AssetChangeType>; data: EventAsset }
  | { type: 'asset.updated'; data: EventAsset & AssetUpdate }
  | { type: 'asset.replaced'; data: EventAsset & AssetReplacement }
  | { type: 'asset.damaged'; data: EventAsset & { damagedVersion: number } }
  | { type: AttachmentEventType; data: EventAsset & { products: AttachedProduct[] } }
  | { type: 'version.deleted'; data: DeletedVersion }
  | { type: UploadEventType; data: EventUpload }
  | { type: ProductEventType; data: Product }
  | { type: 'product.arranged'; data: EventArrangement }
  | { type: KeyEventType; data: Omit<Key, 'hash'> }
  | { type: WebhookEventType; data: EventWebhook }
  | { type: TokenEventType; data: EventToken }
  | { type: OrderEventType; data: EventOrder }
  | { type: DownloadEventType; data: EventOrder & { file: DownloadedFile } }
  | { type: MailEventType; data: EventMail }
  | { type: AccountEventType; data: EventAccount }

export type EventType = EventContent['type']

export type Event = EventContent & {
  /** 1, 2, … in the order of the commits of its account, without gaps. Clients get `publicEventId` instead. */
  id: number
  createdAt: Date
  actor: EventActor
  /** Identifies the call that made the change, if one call can change many resources; otherwise null. */
  call: string | null
}

export interface EventAsset extends Asset {
  /** When it was moved to the trash; null if it is not in the trash. */
  trashedAt: Date | null
}

/** The values that a change has replaced. */
export type PreviousAsset = Partial<
  Pick<Asset, 'filename' | 'path' | 'tags' | 'isInline' | 'url' | 'bytes' | 'version'>
>

/** What the data of `asset.updated` has besides the asset. Events of version 0.2.0 have none of it. */
export interface AssetUpdate {
  previous?: PreviousAsset
  /** The number of a damaged version whose bytes were read correctly again. */
  repairedVersion?: number
}

/** What the data of `asset.replaced` has besides the asset. Events of version 0.2.0 have none of it. */
export interface AssetReplacement {
  previous?: PreviousAsset
  /** Whether an older version was restored. Otherwise a new one was uploaded. */
  isRestored?: boolean
}

/** The values of `before` that the change has replaced. */
export function previousValues(before: PreviousAsset, after: PreviousAsset): PreviousAsset {
  const names = Object.keys(before) as (keyof PreviousAsset)[]
  const isChanged = (name: keyof PreviousAsset) =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const changed = names.filter(isChanged)
  return Object.fromEntries(changed.map((name) => [name, before[name]]))
}

/** The new order of a product's files. */
export interface EventArrangement {
  /** One of its variants. */
  id: string
  productId: number
  name: string
  /** The first `MAX_EVENT_FILES` of them. */
  assetIds: string[]
  /** The number of files whose order was set. */
  total: number
}

/** A product that was attached to an asset, or detached from it. */
export type AttachedProduct = Pick<Product, 'id' | 'productId' | 'variantId'>

export type DeletedVersion = Pick<
  AssetVersion,
  'version' | 'filename' | 'bytes' | 'mime' | 'createdAt'
> & { assetId: string }

/** An upload. The ID of a replacement is that of the asset that gets the new version. */
export interface EventUpload {
  id: string
  uploadId: string
  isReplacement: boolean
  filename: string
  path: string | null
  tags: string[]
  bytes: number
  mime: string
  chunkSize: number
  startedBy: Actor | null
  createdAt: Date
  expiresAt: Date
}

/** A webhook, without its secrets and the path of its URL: other webhooks receive this event. */
export interface EventWebhook
  extends Pick<Webhook, 'id' | 'description' | 'types' | 'createdAt' | 'updatedAt'> {
  /** The origin of its URL. */
  origin: string
  disabledReason: DisabledReason | null
  /** Empty if it was created or deleted. */
  changed: WebhookField[]
}

type WebhookField = 'url' | 'description' | 'types' | 'enabled' | 'secret'

/** An upload token, without the token itself. */
export type EventToken = Pick<
  UploadToken,
  'id' | 'maxBytes' | 'maxFiles' | 'mediaTypes' | 'origin' | 'replaces' | 'expiresAt'
>

/** An account whose plan is almost used up. */
export interface EventAccount extends Usage {
  name: string
  planName: string
  /** Undefined in events of versions before 0.3.0. */
  planAssets?: number | null
  assets: number
  trash: number
}

/**
 * One change of more attachments than this writes several events, so that the size of an event is bounded. All of them
 * are written in the transaction of the change.
 */
export const MAX_EVENT_PRODUCTS = 100

/** How many files the event about their order names, so that its size is bounded. */
export const MAX_EVENT_FILES = 100

/** The last digits of a public ID are a check of the time of the event. */
const CHECKS = 1_000_000
/** A prime below `CHECKS`, so that times at regular intervals have different checks. */
const TIMES = 999_983
const UNKNOWN_TIME = CHECKS - 1

/**
 * The ID of an event for clients: its number, followed by six digits that depend on its time. After a database was
 * restored from a backup, new events get numbers that were used before. Their times differ, so a client that continues
 * after an event of the lost history is recognized. 0 is the position before the first event.
 */
export function publicEventId(id: number, createdAt: Date | null): number {
  return id === 0 ? 0 : id * CHECKS + checkOf(createdAt)
}

/** The number of the event with this public ID. A lower number than any public ID is that of an event. */
export function eventNumber(publicId: number): number {
  return publicId < CHECKS ? publicId : Math.floor(publicId / CHECKS)
}

/** Whether this is the public ID of the event with its number. True if the time of the event is unknown. */
export function isEventId(publicId: number, createdAt: Date | null): boolean {
  if (publicId < CHECKS || createdAt === null) return true
  const check = publicId % CHECKS
  return check === checkOf(createdAt) || check === UNKNOWN_TIME
}

function checkOf(createdAt: Date | null): number {
  return createdAt === null ? UNKNOWN_TIME : Math.abs(createdAt.getTime()) % TIMES
}

/** The data of an event about a webhook. */
export function toEventWebhook(webhook: Webhook, changed: WebhookField[] = []): EventWebhook {
  const { id, description, types, createdAt, updatedAt } = webhook
  const { origin } = new URL(webhook.url)
  const disabledReason = webhook.disabled?.reason ?? null
  return { id, origin, description, types, disabledReason, createdAt, updatedAt, changed }
}

/** Which properties differ. */
export function changedFields(before: Webhook, after: Webhook): WebhookField[] {
  const [old, current] = [webhookValues(before), webhookValues(after)]
  const fields = Object.keys(old) as WebhookField[]
  return fields.filter((field) => old[field] !== current[field])
}

function webhookValues(webhook: Webhook): Record<WebhookField, string | boolean> {
  const { url, description, types, disabled, secret } = webhook
  return {
    url,
    description,
    types: JSON.stringify(types),
    enabled: disabled === null,
    secret,
  }
}

/** The data of the event of a token. */
export function toEventToken(token: Omit<EventToken, 'expiresAt'>, expiresAt: Date): EventToken {
  const { id, maxBytes, maxFiles, mediaTypes, origin, replaces } = token
  return { id, maxBytes, maxFiles, mediaTypes, origin, replaces, expiresAt }
}
