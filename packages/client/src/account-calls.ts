import type {
  AccountResponse,
  BulkJob,
  BulkJobRequest,
  BulkRequest,
  BulkResponse,
  Delivery,
  DeliveryPage,
  DeliveryWithBody,
  Key,
  KeyRequest,
  ListDeliveriesQuery,
  NewKeyResponse,
  NewUploadToken,
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
import { pause } from './pause.ts'
import { type Call, checkId, type Request } from './request.ts'
import { randomKey } from './upload/session.ts'

/** The account of the API key: its plan, and the bytes stored, reserved and available. */
export type Account = AccountResponse['data']
/** The storage in use, by type of file. */
export type Usage = UsageResponse['data']
/** A new API key with its secret. */
export type NewKey = NewKeyResponse['data']

/** Settings of a change of all matches. */
export interface BulkSettings extends CallSettings {
  /** Is called with the number of assets that are done, after each change of it. */
  onProgress?: ((job: BulkJob) => void) | undefined
}

/** Changes of many assets. */
export interface BulkCalls {
  /**
   * Sets the order in which buyers see the files of a product and of its other variants. Assets that are attached later follow.
   * Without assets, the files have the order of their uploads.
   */
  arrangeFiles(productId: string, assetIds: string[], settings?: CallSettings): Promise<void>
  /**
   * Deletes, restores, attaches, detaches, tags, untags or moves up to 1,000 assets: either all of them or none. With
   * `permanent`, a deletion removes the assets immediately, even if they are in the trash.
   */
  bulk(request: BulkRequest, settings?: CallSettings): Promise<BulkResponse['data']>
  /**
   * Changes all assets that match `filter`, and waits until all of them are done. `expected` is the number that the user has
   * seen: if another number matches now, the call throws `selection_changed` and changes nothing. The call is retried only
   * if the service reports that it did nothing (429, 503). An aborted call stops waiting, and the service continues: see
   * `bulkJobs` and `cancelBulk`.
   */
  bulk(request: BulkJobRequest, settings?: BulkSettings): Promise<BulkJob>
  /** Returns the progress of a change of all matches. Ended changes are kept for 7 days. */
  bulkJob(id: string, settings?: CallSettings): Promise<BulkJob>
  /** Returns the running changes of all matches, and the last ended ones, newest first. */
  bulkJobs(settings?: CallSettings): Promise<BulkJob[]>
  /** Cancels a change of all matches. Assets that are changed stay changed. */
  cancelBulk(id: string, settings?: CallSettings): Promise<BulkJob>
  /**
   * Undoes what an ended change of all matches has changed, and waits until that is done. An aborted call stops waiting, and
   * the service continues.
   */
  undoBulk(id: string, settings?: BulkSettings): Promise<BulkJob>
}

/** The calls of the account, its API keys, its upload tokens and its webhooks. */
export interface AccountCalls {
  /** Returns the account of the API key. */
  account(settings?: CallSettings): Promise<Account>
  /** Returns the storage in use, by type of file. */
  usage(settings?: CallSettings): Promise<Usage>
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
export interface AccountCallsOnDemand
  extends BulkCalls,
    Omit<AccountCalls, 'uploadTokens' | 'deliveries'> {}

/** Deletes the resource. If the first response was lost, the retry succeeds, too. */
export type Remove = (path: string, id: string, settings?: Call) => Promise<void>

/** The pauses between two calls that ask for the progress of a bulk change. */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 1_000

export function createAccountCalls({ data, json }: Request, remove: Remove): AccountCallsOnDemand {
  // However often a call is retried, the service creates one thing, and returns it each time.
  const once = () => ({ method: 'POST', headers: { 'Idempotency-Key': randomKey() } })
  const deliveryPath = (id: string) => `/webhooks/:id/deliveries/${checkId(id)}`

  async function finish(
    path: string,
    { onProgress, ...settings }: BulkSettings = {},
    call: Call = {},
  ): Promise<BulkJob> {
    const start = { ...settings, ...call, method: 'POST', isRepeatable: path !== '/bulk' }
    let job = await data<BulkJob>(path, start)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      onProgress?.(job)
      if (job.status !== 'running') return job
      await pause(pauseMs, settings.signal)
      job = await data<BulkJob>('/bulk/:id', { ...settings, id: job.id })
    }
  }

  return {
    bulk: ((body: BulkRequest | BulkJobRequest, settings?: BulkSettings) =>
      'filter' in body
        ? finish('/bulk', settings, { body })
        : data('/assets/bulk', { ...settings, method: 'POST', body })) as BulkCalls['bulk'],
    async arrangeFiles(id, assets, settings) {
      await json('/products/:id/assets', { ...settings, id, method: 'PUT', body: { assets } })
    },
    undoBulk: (id, settings) => finish('/bulk/:id/undo', settings, { id }),
    bulkJob: (id, settings) => data<BulkJob>('/bulk/:id', { ...settings, id }),
    bulkJobs: (settings) => data<BulkJob[]>('/bulk', settings),
    cancelBulk: (id, settings) =>
      data<BulkJob>('/bulk/:id/cancel', { ...settings, id, method: 'POST' }),
    account: (settings) => data<Account>('/account', settings),
    usage: (settings) => data<Usage>('/account/usage', settings),
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
