import type { AccountResponse, Key, Session, UsageResponse } from './account.ts'
import type { Archive } from './archive.ts'
import { type Asset, type AssetPage, type Product, SHA256_EXAMPLE, type Version } from './asset.ts'
import type { BulkJob } from './bulk.ts'
import { EVENT_ID_EXAMPLE, type Event } from './event.ts'
import type { Folder, FolderMove } from './folder.ts'
import type { ProductGroup } from './product.ts'
import type { ListedUpload, ResumedUpload, UploadSession } from './upload.ts'
import type { NewUploadToken, UploadToken } from './upload-token.ts'
import type { Delivery, DeliveryPage, DeliveryWithBody, Webhook } from './webhook.ts'

const id = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'
const uploadId = '01981d2c-5a7e-7f02-8a41-0c9d8e7f6a5b'
const base = 'http://127.0.0.1:4000'

function partUrl(part: number): string {
  return `http://127.0.0.1:4001/uploads/${uploadId}/${part}?length=…&expires=…&signature=…`
}

export const sessionExample: UploadSession = {
  id,
  upload_id: uploadId,
  chunk_size: 100_000_000,
  urls: [
    { start: 0, end: 100_000_000, part: 1, url: partUrl(1) },
    { start: 100_000_000, end: 200_000_000, part: 2, url: partUrl(2) },
    { start: 200_000_000, end: 250_000_000, part: 3, url: partUrl(3) },
  ],
  file_url: `${base}/assets/${id}`,
  asset: { id, filename: 'sample-pack.zip', size: '250 MB' },
  urls_expire_at: '2026-01-31T21:30:00.000Z',
  upload_expires_at: '2026-02-07T09:30:00.000Z',
  expires_at: '2026-01-31T21:30:00.000Z',
}

const { asset: _, ...session } = sessionExample

export const resumedExample: ResumedUpload = {
  ...session,
  urls: sessionExample.urls.slice(2),
  received: [
    { PartNumber: 1, ETag: '9b2cf535f27731c974343645a3985328', size: 100_000_000 },
    { PartNumber: 2, ETag: '7ac66c0f148de9519b8bd264312c4d64', size: 100_000_000 },
  ],
  status: 'uploading',
}

export const assetExample: Asset = {
  id,
  filename: 'sample-pack.zip',
  size: '250 MB',
  is_file: true,
  is_link: false,
  url: null,
  status: 'ready',
  bytes: 250_000_000,
  mime: 'application/zip',
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
  version: 1,
  path: null,
  tags: ['audio'],
  inline: false,
  checksum: { sha256: SHA256_EXAMPLE, verified_at: '2026-01-31T09:31:00.000Z' },
  damaged: false,
}

export const eventExample: Event = {
  id: EVENT_ID_EXAMPLE,
  type: 'asset.ready',
  created_at: '2026-01-31T09:30:12.345Z',
  actor: { type: 'key', id: '01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d', name: 'shop backend' },
  call: null,
  data: { ...assetExample, checksum: null },
}

export const versionsExample: Version[] = [
  {
    version: 2,
    filename: 'sample-pack.zip',
    size: '260 MB',
    bytes: 260_000_000,
    mime: 'application/zip',
    created_at: '2026-02-28T09:30:00.000Z',
    checksum: null,
    damaged: false,
    current: true,
    removed_next: false,
  },
  {
    version: 1,
    filename: 'sample-pack.zip',
    size: '250 MB',
    bytes: 250_000_000,
    mime: 'application/zip',
    created_at: '2026-01-31T09:30:00.000Z',
    checksum: { sha256: SHA256_EXAMPLE, verified_at: '2026-01-31T09:31:00.000Z' },
    damaged: false,
    current: false,
    removed_next: false,
  },
]

export const linkExample: Asset = {
  ...assetExample,
  filename: 'course.zip',
  size: '10 MB',
  is_file: false,
  is_link: true,
  url: 'https://example.com/course.zip',
  bytes: 10_000_000,
  mime: 'application/octet-stream',
  checksum: null,
}

export const folderExample: Folder = {
  name: 'week 1',
  path: 'course/week 1',
  assets: 12,
  assets_is_exact: true,
  has_folders: false,
}

export const folderMoveExample: FolderMove = {
  id: '01981d2c-7b11-7d02-8c4e-2a5f90c1d3e7',
  from: 'course/week 1',
  to: 'course/introduction',
  status: 'moved',
  moved: 12,
  created_at: '2026-01-31T09:30:00.000Z',
  finished_at: '2026-01-31T09:30:00.000Z',
}

export const bulkJobExample: BulkJob = {
  id: '01981d2c-7b11-7d02-8c4e-2a5f90c1d3e8',
  action: 'tag',
  status: 'finished',
  total: 5010,
  done: 5010,
  changed: 5007,
  skipped: 3,
  error: null,
  can_undo: true,
  undoes: null,
  undone_by: null,
  created_at: '2026-01-31T09:30:00.000Z',
  finished_at: '2026-01-31T09:30:10.000Z',
}

export const productExample: Product = {
  id: '01981d2c-5a7e-7a10-b2c3-d4e5f6071829',
  name: 'Sample pack',
  variant_name: 'WAV',
  sku: 'PACK-WAV',
  product_id: 632910392,
  variant_id: 808950810,
  vendor: 'Stowage Sounds',
  tags: ['audio'],
}

export const productGroupExample: ProductGroup = {
  product_id: productExample.product_id,
  name: productExample.name,
  vendor: productExample.vendor,
  tags: productExample.tags,
  variants: [productExample],
  variants_total: 1,
}

/** The `links` and the `meta` of a list with one row. */
export function pageExample(list: string) {
  const path = `${base}/api/v1/${list}`
  const url = `${path}?page=1`
  return {
    links: { first: url, last: url, prev: null, next: null },
    meta: {
      current_page: 1,
      from: 1,
      to: 1,
      last_page: 1,
      per_page: 25,
      total: 1,
      total_is_exact: true,
      total_at_least: 1,
      path,
      links: [
        { url: null, label: '« Previous', active: false },
        { url, label: '1', active: true },
        { url: null, label: 'Next »', active: false },
      ],
      next_after: null,
    },
  }
}

export const assetPageExample: AssetPage = { data: [assetExample], ...pageExample('assets') }

export const accountExample: AccountResponse['data'] = {
  name: 'default',
  plan: { name: 'default', storage: 1_000_000_000_000, assets: null },
  stored: 250_000_000,
  reserved: 0,
  trash: 0,
  trash_for: 2_592_000,
  keep_versions: 5,
  checksums: true,
  available: 999_750_000_000,
  assets: 1,
  scope: 'manage',
}

export const usageExample: UsageResponse['data'] = {
  types: [
    { type: 'archive', bytes: 250_000_000, assets: 1 },
    { type: 'link', bytes: 0, assets: 2 },
  ],
}

export const signInExample: Session = {
  requires_key: true,
  key: {
    id: '01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d',
    name: 'dashboard',
    scope: 'manage',
    hint: 'stow_…x7Qa',
  },
  expires_at: '2026-02-07T09:30:00.000Z',
}

export const keyExample: Key = {
  id: '01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d',
  name: 'shop backend',
  scope: 'write',
  hint: 'stow_…x7Qa',
  created_at: '2026-01-31T09:30:00.000Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}

export const uploadTokenExample: UploadToken = {
  id: '01981d2c-5a7e-7c33-9d4e-2f3a4b5c6d7e',
  max_bytes: 50_000_000,
  max_files: 3,
  mime: ['image/*', 'application/pdf'],
  origin: 'https://shop.example',
  attach: null,
  replace: null,
  created_by: { id: keyExample.id, name: keyExample.name },
  created_at: '2026-01-31T09:30:00.000Z',
  expires_at: '2026-01-31T10:30:00.000Z',
  revoked_at: null,
}

export const newUploadTokenExample: NewUploadToken = { ...uploadTokenExample, token: 'stowup_…' }

export const listedUploadExample: ListedUpload = {
  id,
  upload_id: uploadId,
  is_replacement: false,
  filename: 'sample-pack.zip',
  path: null,
  bytes: 250_000_000,
  mime: 'application/zip',
  status: 'uploading',
  chunk_size: 100_000_000,
  parts: 3,
  received_parts: 2,
  received_bytes: 200_000_000,
  started_by: { id: keyExample.id, name: keyExample.name },
  created_at: '2026-01-31T09:30:00.000Z',
  upload_expires_at: '2026-02-07T09:30:00.000Z',
  expires_at: '2026-02-07T09:30:00.000Z',
}

export const archiveExample: Archive = {
  id: '01981d2c-5a7e-7f64-8a71-4c5d6e7f8091',
  filename: 'files.zip',
  size: '250 MB',
  bytes: 250_000_264,
  files: 1,
  links: 0,
  etag: '6ZuwQk0qK1mE8cTn2aF3yVd4xBhR7sLpJ9oWgUiAeXY',
  url: 'https://files.shop.example/archives/01981d2c-5a7e-7f64-8a71-4c5d6e7f8091?expires=1769895000&signature=6ZuwQk0qK1mE8cTn2aF3yVd4xBhR7sLpJ9oWgUiAeXY',
  expires_at: '2026-01-31T21:30:00.000Z',
}

const webhookId = '01981d2c-5a7e-7d42-9e5f-2a3b4c5d6e7f'

export const webhookExample: Webhook = {
  id: webhookId,
  url: 'https://shop.example/webhooks/stowage',
  description: 'shop backend',
  types: ['asset.ready', 'asset.deleted'],
  enabled: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  missed_events: 0,
  missed_at: null,
  pending: 0,
  previous_secret_valid_until: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
}

export const deliveryExample: Delivery = {
  id: '01981d2c-5a7e-7e53-8f60-3b4c5d6e7f80',
  event_id: EVENT_ID_EXAMPLE,
  type: 'asset.ready',
  status: 'succeeded',
  created_at: '2026-01-31T09:30:00.000Z',
  next_attempt_at: null,
  attempts: [
    {
      attempted_at: '2026-01-31T09:30:00.100Z',
      url: webhookExample.url,
      status: 200,
      duration_ms: 85,
      error: null,
      response: 'ok',
    },
  ],
}

export const pingExample: DeliveryWithBody = {
  ...deliveryExample,
  event_id: null,
  type: 'ping',
  body: `{"type":"ping","timestamp":"2026-01-31T09:30:00.000Z","data":{"webhook_id":"${webhookId}"}}`,
}

export const deliveryBodyExample: DeliveryWithBody = {
  ...deliveryExample,
  body: `{"id":${EVENT_ID_EXAMPLE},"type":"asset.ready","timestamp":"2026-01-31T09:30:12.345Z",…}`,
}

export const deliveryPageExample: DeliveryPage = {
  data: [deliveryExample],
  ...pageExample(`webhooks/${webhookId}/deliveries`),
}

export const orderExample = {
  id: '01981d2c-5a7e-7d44-b1c2-3d4e5f607182',
  order_number: '#1001',
  email_sent_at: null,
  ordered_at: 1_769_851_800,
  reference: 'gid-5123',
  source: 'api' as const,
  status: 'active' as const,
  name: null,
  email: 'ada@example.com',
  locale: null,
  label: null,
  lines: [
    {
      product_id: 632_910_392,
      variant_id: null,
      quantity: 1,
      refunded_quantity: 0,
      product: {
        id: productExample.id,
        name: productExample.name,
        variant_name: productExample.variant_name,
        sku: productExample.sku,
      },
    },
  ],
  url: 'https://files.example.com/d/Zk3…',
  downloads: 1,
  max_downloads: 5,
  inline: false,
  more_requested: null,
  expires_at: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
}

export const loggedDownloadExample = {
  id: '01981d2c-5a7e-7e55-8c2d-4e5f60718293',
  asset_id: assetExample.id,
  filename: assetExample.filename,
  version: 1,
  bytes: assetExample.bytes,
  opened_at: '2026-01-31T09:35:00.000Z',
  starts: 1,
  counted: 1,
  ip_hash: '5f1d7a84db00d2fc',
}

export const assetDownloadExample = {
  ...loggedDownloadExample,
  order: {
    id: orderExample.id,
    order_number: orderExample.order_number,
    name: orderExample.name,
    email: orderExample.email,
    label: orderExample.label,
    reference: orderExample.reference,
  },
}

export const brandingExample = {
  name: 'Sounds',
  logo: null,
  color: '#0b7285',
  help_text: null,
  help_email: 'help@example.com',
  max_downloads: null,
}

export const customerOrderExample = {
  order: {
    order_number: '#1001',
    status: 'active' as const,
    expires_at: null,
    lines: [
      {
        product: orderExample.lines[0]?.product ?? null,
        assets: [
          {
            limits: { downloaded: 1, limit: 5 },
            view_url: null,
            data: {
              ...assetExample,
              url: `https://files.example.com/d/Zk3…/start/${assetExample.id}`,
            },
          },
        ],
      },
    ],
    assets: [],
  },
  text: { title: 'Your files', download: 'Download' },
}

export const mailExample = {
  id: '01981d2d-0b1c-7e2a-9f40-5a6b7c8d9e0f',
  kind: 'files_ready' as const,
  cause: 'order' as const,
  state: 'sent' as const,
  recipient: orderExample.email,
  order_id: orderExample.id,
  notice_id: null,
  asset_id: null,
  locale: null,
  message_id: '<01981d2d-0b1c-7e2a-9f40-5a6b7c8d9e0f@example.com>',
  attempts: 1,
  reason: null,
  created_at: '2026-01-31T09:30:00.000Z',
  sent_at: '2026-01-31T09:30:01.000Z',
  next_attempt_at: null,
}

export const renderedMailExample = {
  from: 'Sounds <files@example.com>',
  reply_to: 'help@example.com',
  subject: 'Your files are ready',
  text: 'Hello Ada,\n\nyour files are ready:\n\nhttps://files.example.com/d/…\n',
  html: '<!doctype html>…',
}

export const noticeExample = {
  id: '01981d2d-1c2d-7f3b-8a51-6b7c8d9e0f10',
  asset_id: assetExample.id,
  version: 2,
  state: 'sending' as const,
  recipients: 120,
  queued: 40,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:30.000Z',
}
