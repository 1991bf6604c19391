import { constants, copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteDatabase } from '@stowage/server/src/database/sqlite/sqlite-database'
import type { Order } from '@stowage/server/src/domain/order'
import { hashOrderToken } from '@stowage/server/src/operations/orders'
import { CACHE_FOLDER } from '../processes/peers.ts'
import { progress } from '../progress.ts'
import { copyFilled, exists, fingerprint } from './filled.ts'
import { assetId } from './records.ts'

/** Two files for each product. */
const ASSETS = 1000
const BATCH = 50_000
const PRODUCTS = 500
const FIRST_AT = Date.UTC(2024, 0, 1)

/** One order in ten is for this product. */
export const POPULAR_PRODUCT = 1_000_000
export const POPULAR_EVERY = 10

/** Copies a database with this many orders into a data folder. It is created once and cached. */
export async function copyOrders(folder: string, count: number): Promise<string> {
  const cache = join(CACHE_FOLDER, 'bench-orders')
  const filled = join(cache, `${count}-${await fingerprint([import.meta.filename])}.db`)
  if (!(await exists(filled))) {
    const unfinished = join(cache, `${count}.unfinished`)
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true })
    const file = await copyFilled(unfinished, ASSETS)
    await addOrders(file, count)
    await rename(file, filled)
    await rm(unfinished, { recursive: true })
  }
  const file = join(folder, 'stowage.db')
  await copyFile(filled, file, constants.COPYFILE_FICLONE)
  return file
}

async function addOrders(file: string, count: number): Promise<void> {
  const database = await openSqliteDatabase({ file })
  const account = await database.findAccount('default')
  if (account === undefined) throw new Error('the database has no account')
  const data = database.of(account.id)
  for (let start = 0; start < count; start += BATCH) {
    const length = Math.min(BATCH, count - start)
    const orders = Array.from({ length }, (_, index) => {
      return { order: orderAt(account.id, start + index), assetIds: [], files: [] }
    })
    await data.importOrders({ orders })
    progress(`filling: ${start + length} of ${count} orders`)
  }
  await database.close()
}

/** A file that the order covers. Each of the 1,000 assets is attached to one of two variants of its product. */
export function assetOfOrder(index: number): string {
  return assetId(2 * (productOf(index) - POPULAR_PRODUCT))
}

function productOf(index: number): number {
  return index % POPULAR_EVERY === 0
    ? POPULAR_PRODUCT
    : POPULAR_PRODUCT + 1 + (index % (PRODUCTS - 1))
}

/** Known to the benchmark alone. */
export function tokenAt(index: number): string {
  return `bench-${index.toString().padStart(26, '0')}`
}

function orderAt(accountId: string, index: number): Order {
  const at = new Date(FIRST_AT + index * 1000)
  const time = at.getTime().toString(16).padStart(12, '0')
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-9000-${index.toString(16).padStart(12, '0')}`
  return {
    id,
    accountId,
    source: 'api',
    reference: String(index),
    number: `#${index}`,
    email: `buyer-${index}@example.com`,
    name: `Buyer ${index}`,
    locale: null,
    label: null,
    lines: [
      { productId: productOf(index), variantId: null, quantity: 1, refunded: 0, product: null },
    ],
    downloads: 0,
    maxDownloads: 5,
    expiresAt: null,
    isHeld: false,
    isInline: false,
    revokedAt: null,
    emailSentAt: null,
    orderedAt: at,
    createdAt: at,
    updatedAt: at,
    status: 'active',
    more: null,
    // The page shows no token, so it need not be opened.
    sealedToken: `sealed:${index}`,
    tokenHash: hashOrderToken(tokenAt(index)),
  }
}
