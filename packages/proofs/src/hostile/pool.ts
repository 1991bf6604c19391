import type { UploadSession } from '@stowage/protocol'
import type { Random } from '@stowage/testing/machine/random'

/** A file whose parts have been or will be sent. */
export interface KnownUpload {
  session: UploadSession
  bytes: Buffer
  /** The ETags that the storage returned, by part. */
  etags: Map<number, string>
}

/** A signed download URL and the bytes of the file. */
export interface KnownDownload {
  url: string
  file: Buffer
}

/** The resources that exist according to the responses. Requests that use them reach more code than others. */
export interface Pool {
  uploads: KnownUpload[]
  assets: string[]
  products: string[]
  keys: { id: string; secret: string }[]
  webhooks: string[]
  deliveries: string[]
  downloads: KnownDownload[]
}

export function emptyPool(): Pool {
  return {
    uploads: [],
    assets: [],
    products: [],
    keys: [],
    webhooks: [],
    deliveries: [],
    downloads: [],
  }
}

export const UNKNOWN_ID = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'

/** Only this many of the most recent resources are picked, because most of them still exist. */
const RECENT = 30

export function pickRecent<Thing>(random: Random, things: Thing[]): Thing | undefined {
  const first = Math.max(0, things.length - RECENT)
  return things[random.between(first, things.length)]
}

/** A recent ID for the path parameter after this segment, such as `assets`. */
export function idFor(random: Random, pool: Pool, segment: string): string {
  const known: Record<string, string[]> = {
    assets: [
      ...pool.assets.slice(-RECENT / 2),
      ...pool.uploads.slice(-RECENT / 2).map((one) => one.session.id),
    ],
    products: pool.products,
    keys: pool.keys.map(({ id }) => id),
    // The choice is small, so that the delivery often belongs to the webhook.
    webhooks: pool.webhooks.slice(-2),
    deliveries: pool.deliveries.slice(-2),
    versions: ['1', '2'],
  }
  return pickRecent(random, known[segment] ?? []) ?? UNKNOWN_ID
}
