import type {
  AccountResponse,
  Delivery,
  DeliveryPage,
  DeliveryWithBody,
  Key,
  KeyRequest,
  ListDeliveriesQuery,
  NewKeyResponse,
  NewUploadToken,
  ServiceStatus,
  UploadToken,
  UploadTokenPage,
  UploadTokenRequest,
  UsageResponse,
  Webhook,
  WebhookChanges,
  WebhookRequest,
  WebhookWithSecret,
} from '@stowage/protocol'
import type { Listing } from './listing.ts'
import type { CallSettings, PageQuery } from './options.ts'
import { type Call, checkId, type Request } from './request.ts'
import { randomKey } from './upload/session.ts'

/** The account of the API key: its plan, and the bytes stored, reserved and available. */
export type Account = AccountResponse['data']
/** The storage in use, by type of file. */
export type Usage = UsageResponse['data']
/** A new API key with its secret. */
export type NewKey = NewKeyResponse['data']

/** The calls of the account, its API keys, its upload tokens and its webhooks. */
export interface AccountCalls {
  /** Returns the account of the API key. */
  account(settings?: CallSettings): Promise<Account>
  /** Returns the storage in use, by type of file. */
  usage(settings?: CallSettings): Promise<Usage>
  /**
   * Returns the state of the whole service: its instances, queues, failures, disk, backups and accounts. Only the operator's
   * key (`STOWAGE_ADMIN_KEY`) may call it.
   */
  serviceStatus(settings?: CallSettings): Promise<ServiceStatus>
  /** Lists the API keys, including those that were revoked or have expired in the last 90 days, without their secrets. */
  keys(settings?: CallSettings): Promise<Key[]>
  /**
   * Creates an API key, which stops working at `expires_at` if that is given. The secret is returned only here. Retries of the call create no second key.
   */
  createKey(key: KeyRequest, settings?: CallSettings): Promise<NewKey>
  /**
   * Creates an upload token for a web page: it can upload files within these limits, and nothing else. In the page, pass
   * it as `apiKey` to `createClient`. Call this from your backend: an API key must never be in a page.
   */
  createUploadToken(limits: UploadTokenRequest, settings?: CallSettings): Promise<NewUploadToken>
  /** Lists the upload tokens that can start uploads, newest first, in the same way as `assets`. */
  uploadTokens(query?: PageQuery & CallSettings): Listing<UploadToken, UploadTokenPage>
  /** Returns the limits of an upload token: also of one that was revoked or has expired in the last 24 hours. */
  uploadToken(id: string, settings?: CallSettings): Promise<UploadToken>
  /** Revokes an upload token, which stops working immediately, also for the uploads that it has started. */
  revokeUploadToken(id: string, settings?: CallSettings): Promise<void>
  /** Revokes an API key, which stops working immediately, and ends the upload tokens that it created. */
  revokeKey(id: string, settings?: CallSettings): Promise<void>
  /** Lists the webhooks, without their secrets. */
  webhooks(settings?: CallSettings): Promise<Webhook[]>
  /** Returns a webhook: whether its attempts fail, and whether and why it is disabled. */
  webhook(id: string, settings?: CallSettings): Promise<Webhook>
  /**
   * Creates a webhook, which receives the events that happen after its creation. The secret is returned only here. Retries
   * of the call create no second webhook.
   */
  createWebhook(webhook: WebhookRequest, settings?: CallSettings): Promise<WebhookWithSecret>
  /** Changes, enables or disables a webhook. A missing field keeps its value. */
  changeWebhook(id: string, changes: WebhookChanges, settings?: CallSettings): Promise<Webhook>
  /** Deletes a webhook and its deliveries. */
  deleteWebhook(id: string, settings?: CallSettings): Promise<void>
  /** Replaces the secret of a webhook. For 24 hours, requests are signed with the replaced one, too. */
  rotateWebhookSecret(id: string, settings?: CallSettings): Promise<WebhookWithSecret>
  /** Sends a test request to a webhook and waits for its response, which is in `attempts`. */
  pingWebhook(id: string, settings?: CallSettings): Promise<DeliveryWithBody>
  /** Lists the deliveries of a webhook, newest first, in the same way as `assets`. */
  deliveries(
    webhookId: string,
    query?: ListDeliveriesQuery & CallSettings,
  ): Listing<Delivery, DeliveryPage>
  /** Returns a delivery with the body of its requests. */
  delivery(webhookId: string, id: string, settings?: CallSettings): Promise<DeliveryWithBody>
  /** Sends a delivery again, in the background. */
  redeliver(webhookId: string, id: string, settings?: CallSettings): Promise<DeliveryWithBody>
}

/** The calls whose code is loaded on demand. */
export type AccountCallsOnDemand = Omit<AccountCalls, 'uploadTokens' | 'deliveries'>

/** Deletes the resource. If the first response was lost, the retry succeeds, too. */
export type Remove = (path: string, id: string, settings?: Call) => Promise<void>

export function createAccountCalls({ data, json }: Request, remove: Remove): AccountCallsOnDemand {
  // However often a call is retried, the service creates one thing, and returns it each time.
  const once = () => ({ method: 'POST', headers: { 'Idempotency-Key': randomKey() } })
  const deliveryPath = (id: string) => `/webhooks/:id/deliveries/${checkId(id)}`

  return {
    account: (settings) => data<Account>('/account', settings),
    usage: (settings) => data<Usage>('/account/usage', settings),
    serviceStatus: (settings) => data<ServiceStatus>('/operator/status', settings),
    keys: (settings) => data<Key[]>('/keys', settings),
    createKey: (body, settings) => data<NewKey>('/keys', { ...settings, ...once(), body }),
    revokeKey: (id, settings) => remove('/keys/:id', id, settings),
    createUploadToken: (body, settings) =>
      json<NewUploadToken>('/upload-tokens', { ...settings, ...once(), body }),
    uploadToken: (id, settings) => data<UploadToken>('/upload-tokens/:id', { ...settings, id }),
    revokeUploadToken: (id, settings) => remove('/upload-tokens/:id', id, settings),
    webhooks: (settings) => data<Webhook[]>('/webhooks', settings),
    webhook: (id, settings) => data<Webhook>('/webhooks/:id', { ...settings, id }),
    createWebhook: (body, settings) =>
      data<WebhookWithSecret>('/webhooks', { ...settings, ...once(), body }),
    changeWebhook: (id, body, settings) =>
      data<Webhook>('/webhooks/:id', { ...settings, id, method: 'PUT', body }),
    rotateWebhookSecret: (id, settings) =>
      data<WebhookWithSecret>('/webhooks/:id/rotate', { ...settings, id, method: 'POST' }),
    deleteWebhook: (id, settings) => remove('/webhooks/:id', id, settings),
    pingWebhook: (id, settings) =>
      data<DeliveryWithBody>('/webhooks/:id/ping', { ...settings, id, method: 'POST' }),
    delivery: async (webhookId, id, settings) =>
      data<DeliveryWithBody>(deliveryPath(id), { ...settings, id: webhookId }),
    redeliver: async (webhookId, id, settings) =>
      data<DeliveryWithBody>(`${deliveryPath(id)}/redeliver`, {
        ...settings,
        id: webhookId,
        method: 'POST',
      }),
  }
}
