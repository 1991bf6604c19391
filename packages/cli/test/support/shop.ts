import type { TestContext } from 'node:test'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { aCli } from './cli.ts'

/** Names that are hard to show in a table, or attack the terminal. */
export const ODD_NAMES = [
  'plain.zip',
  'a-name-that-is-much-longer-than-any-column-of-any-table-should-ever-have-to-be.tar.gz',
  'サンプルパック集とても長い名前のファイル.wav',
  'مرحبا بالعالم.pdf',
  '👩‍👩‍👧 family 🇨🇭.png',
  'invoice\u202efdp.exe',
  'Cafe\u0301.txt',
]

/** A service with unusually named files and two products. */
export async function aStockedShop(t: TestContext) {
  const service = await aService(t)
  const { baseUrl } = service
  const products = [
    { product_id: 10, variant_id: 101, name: 'Pack', sku: 'PACK' },
    { product_id: 11, variant_id: 111, name: 'Book', variant_name: 'PDF', sku: 'BOOK' },
  ]
  await service.call('PUT', `${API}/products`, { products })
  const ids = new Map<string, string>()
  for (const [index, name] of ODD_NAMES.entries()) {
    const { id } = await uploadFile(baseUrl, { name, bytes: someBytes(index * 100) })
    ids.set(name, id)
    const references = { product_ids: [10] }
    if (index % 2) await service.call('POST', `${API}/assets/${id}/attach`, references)
  }
  return {
    ...service,
    cli: await aCli(t, baseUrl),
    idOf: (name: string) => ids.get(name) ?? '',
  }
}

const ATTACK = '\u001b]0;owned\u0007\u009b2J\r\n'

export const ROGUE_ID = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'

/** A server whose responses contain escape sequences in every text. */
export function aRogueService(t: TestContext): Promise<string> {
  const id = ROGUE_ID
  const product = {
    ...{ id, name: ATTACK, variant_name: ATTACK, sku: ATTACK, vendor: ATTACK, tags: [ATTACK] },
    ...{ product_id: 1, variant_id: 2 },
  }
  const asset = {
    ...{ id, filename: `x${ATTACK}`, size: ATTACK, bytes: 1, mime: ATTACK, created_at: ATTACK },
    ...{ is_file: true, is_link: false, url: null, status: 'ready', products: [product] },
  }
  const texts = {
    name: ATTACK,
    email: ATTACK,
    order_number: ATTACK,
    reference: ATTACK,
    label: ATTACK,
  }
  const order = {
    ...{ ...texts, id, status: 'active', locale: ATTACK, lines: [], assets: [asset], downloads: 0 },
    ...{ ordered_at: 0, expires_at: null, max_downloads: null, created_at: ATTACK },
    url: 'http://127.0.0.1:1/d/x',
  }
  const file = { asset, line: null, downloaded: 0, limit: null, open_until: null }
  const download = {
    ...asset,
    order,
    opened_at: ATTACK,
    version: 1,
    starts: 1,
    counted: 1,
    ip_hash: ATTACK,
  }
  const plan = { name: ATTACK, storage: 1 }
  const account = { name: ATTACK, plan, stored: 0, reserved: 0, available: 1, assets: 0 }
  const meta = { total: 1, last_page: 1 }
  return anHttpServer(t, ({ url = '' }, response) => {
    const one = url.includes(ROGUE_ID) ? asset : [asset]
    const ofOrder = url.includes(ROGUE_ID) ? order : [order]
    const data = url.includes('/files')
      ? [file]
      : url.includes('/downloads')
        ? [download]
        : url.includes('/orders')
          ? ofOrder
          : url.includes('/products')
            ? [product]
            : url.includes('/account')
              ? account
              : one
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ data, meta }))
  })
}
