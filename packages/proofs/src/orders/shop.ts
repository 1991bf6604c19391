import assert from 'node:assert/strict'
import type { Mail, Order, OrderFile } from '@stowage/protocol'
import type { Call } from '@stowage/testing/service/accounts'
import { API, someBytes } from '@stowage/testing/service/upload'
import {
  type Command,
  type Event,
  FILES,
  type Model,
  NOT_SENT,
  PRODUCTS,
  type Shown,
  UNKNOWN,
} from './order-model.ts'

const ORDERS = `${API}/orders`

export interface Shop {
  /** Makes the call of the command. */
  perform(command: Command): Promise<Event>
  /** What the API shows of the orders of the model. */
  read(model: Model): Promise<Record<number, Shown>>
}

interface ShopOptions {
  call: Call
  /** Requests the URL of a download, and returns the status. */
  get(url: string, range: string): Promise<number>
  /** Ends the 24 hours of all downloads. */
  passDay(): void
  /** Sends the mails that are due. Undefined: the jobs of the service run. */
  deliver?: () => Promise<void>
  /** Shops of one account with different numbers are independent. */
  number?: number
  /** Whether connections may break, because the service is killed. */
  mayBreak?: boolean
}

/** Opens a shop with two products, and two files that are not attached. */
export async function openShop({
  call,
  get,
  passDay,
  deliver,
  number = 0,
  mayBreak = false,
}: ShopOptions): Promise<Shop> {
  const productId = (product: number) => number * 10 + product
  const reference = (order: number | string) => `${number}-${order}`
  const products = PRODUCTS.map(productId).map((id) => ({
    product_id: id,
    variant_id: id,
    name: `Product ${id}`,
  }))
  assert.equal((await call('PUT', `${API}/products`, { products })).status, 200)
  const ids: string[] = []
  for (const file of FILES) {
    const created = await upload('/assets/signed', { name: `${file}.zip` })
    assert.equal(created.status, 200)
    ids.push(created.id)
  }
  /** The last URL of each file of each order. */
  const urls: Record<string, string> = {}

  async function upload(path: string, file: object): Promise<{ status: number; id: string }> {
    const bytes = someBytes(5)
    const signed = await call('POST', API + path, { size: bytes.length, ...file })
    const { id, upload_id, urls: parts } = signed.body
    if (signed.status !== 201) return { status: signed.status, id: '' }
    await fetch(parts[0].url, { method: 'PUT', body: new Uint8Array(bytes) }).catch(() => undefined)
    const { status } = await call('POST', `${API}/assets/${id}/uploaded`, { upload_id })
    return { status, id }
  }

  async function send(command: Command): Promise<Event['seen']> {
    if (command.kind === 'nextDay') {
      passDay()
      return { status: 200 }
    }
    if (command.kind === 'deliver') {
      await deliver?.()
      return { status: 200 }
    }
    const asset = 'file' in command ? (ids[command.file] ?? '') : ''
    const path =
      'order' in command ? `${ORDERS}/${reference(command.order)}` : `${API}/assets/${asset}`
    const linesOf = (quantities: readonly number[], refunded?: number) =>
      quantities.flatMap((quantity, index) => {
        const line = { product_id: productId(PRODUCTS[index] ?? 0), quantity }
        const refund = refunded !== undefined && { refunded_quantity: Math.min(refunded, quantity) }
        return quantity === 0 ? [] : [{ ...line, ...refund }]
      })
    const seen = async (method: string, url: string, body?: object) => {
      const { status, body: data } = await call(method, url, body)
      return { status, ...(data.code && { code: data.code }), ...(data.url && { url: data.url }) }
    }
    switch (command.kind) {
      case 'create': {
        const { order, quantities, max, notify = false } = command
        const email = `buyer${order}@example.com`
        const request = { lines: linesOf(quantities), max_downloads: max, email, notify }
        return seen('POST', ORDERS, { reference: reference(order), ...request })
      }
      case 'limit':
        return seen('PATCH', path, { max_downloads: command.max })
      case 'hold':
        return seen('PATCH', path, { held: command.held })
      case 'refund':
        return seen('PATCH', path, { lines: linesOf(command.quantities, command.refunded) })
      case 'revoke':
        return seen('DELETE', path)
      case 'mail':
        return seen('POST', `${path}/email`)
      case 'own':
        return seen('POST', `${path}/${command.isAttached ? 'attach' : 'detach'}`, {
          assets: [asset],
        })
      case 'sell':
        return seen('POST', `${path}/${command.isAttached ? 'attach' : 'detach'}`, {
          product_ids: [productId(command.product)],
        })
      case 'replace':
        return { status: (await upload(`/assets/${asset}/signed`, {})).status }
      case 'trash':
        return seen('DELETE', path)
      case 'restore':
        return seen('POST', `${path}/restore`)
      case 'open': {
        const opened = await seen('POST', `${path}/downloads`, { asset })
        if (opened.url !== undefined) urls[keyOf(command)] = opened.url
        return opened
      }
      default: {
        const url = urls[keyOf(command)]
        if (url === undefined) return { status: NOT_SENT }
        const range = command.kind === 'start' ? 'bytes=0-' : 'bytes=1-2'
        return { status: await get(url, range), url }
      }
    }
  }

  return {
    async perform(command) {
      try {
        return { command, seen: await send(command) }
      } catch (error) {
        if (!mayBreak) throw error
        const { code } = ((error as Error).cause ?? {}) as { code?: string }
        // A request that was refused was never sent; any other one may have been processed.
        const status = code === 'ECONNREFUSED' ? NOT_SENT : UNKNOWN
        const url = 'order' in command && 'file' in command && urls[keyOf(command)]
        return { command, seen: { status, ...(url && { url }) } }
      }
    },
    async read(model) {
      const shown: Record<number, Shown> = {}
      for (const index of Object.keys(model.orders)) {
        const path = `${ORDERS}/${reference(index)}`
        const order: Order = (await call('GET', path)).body.data
        const files: OrderFile[] = (await call('GET', `${path}/files`)).body.data
        const log = (await call('GET', `${path}/downloads?limit=1000`)).body.data
        const mails: Mail[] = (await call('GET', `${API}/mails?order=${order.id}&limit=100`)).body
          .data
        const count = (states: Mail['state'][]) =>
          mails.filter(({ state }) => deliver === undefined || states.includes(state)).length
        shown[Number(index)] = {
          status: order.status,
          downloads: order.downloads,
          mails: {
            queued: count(['queued', 'sending']),
            sent: deliver === undefined ? 0 : count(['sent']),
            cancelled: deliver === undefined ? 0 : count(['cancelled', 'failed']),
          },
          files: Object.fromEntries(
            files
              .map(({ asset, downloaded, limit }) => [ids.indexOf(asset.id), [downloaded, limit]])
              .sort(),
          ),
          log: log.map(
            (entry: { asset_id: string; version: number; starts: number; counted: number }) => ({
              file: ids.indexOf(entry.asset_id),
              version: entry.version,
              starts: entry.starts,
              cost: entry.counted,
            }),
          ),
        }
      }
      return shown
    },
  }
}

function keyOf({ order, file }: { order: number; file: number }): string {
  return `${order} ${file}`
}

/** A mail server that cannot be reached: mails are queued, and none is sent. */
export const NO_MAIL_SERVER = {
  STOWAGE_SMTP_URL: 'smtp://127.0.0.1:1',
  STOWAGE_MAIL_FROM: 'files@sounds.example',
}

/** The models that the API shows. Downloads that were opened at the same time are in the log in any order. */
export async function modelsShown(
  shop: Shop,
  models: Model[],
  shownOf: (model: Model) => Record<number, Shown>,
): Promise<Model[]> {
  const [first] = models
  if (first === undefined) return []
  const actual = comparable(await shop.read(first))
  const matching = models.filter((model) => comparable(shownOf(model)) === actual)
  if (matching.length > 0) return matching
  assert.fail(
    `shown: ${actual}\npossible: ${models.map((model) => comparable(shownOf(model))).join('\n')}`,
  )
}

function comparable(shown: Record<number, Shown>): string {
  const sorted = Object.entries(shown).map(([index, order]) => [
    index,
    [
      order.status,
      order.downloads,
      order.files,
      [order.mails.queued, order.mails.sent, order.mails.cancelled],
      order.log.map((entry) => JSON.stringify(entry)).sort(),
    ],
  ])
  return JSON.stringify(sorted)
}
