import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import postgres from 'postgres'
import { aLink, anAccount, aProduct, NEWEST } from '../contract/builders.ts'
import { openPostgresDatabase } from './postgres-database.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

const server = await aPostgresServer()

async function openAt(t: TestContext, url: string) {
  const options = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  return database
}

test('the migration to product search makes existing products searchable', async (t) => {
  const url = await server.database(t)
  const before = await openAt(t, url)
  const { id } = await anAccount(before, 'default')
  const products = Array.from({ length: 600 }, (_, variantId) =>
    aProduct({ variantId, sku: variantId === 7 ? 'Plain-7' : `ÄSKU-${variantId}` }),
  )
  await before.of(id).putProducts(products)
  const admin = postgres(url, { onnotice: () => {} })
  cleanUp(t, () => admin.end())
  await admin.unsafe(`
    drop trigger products_changed on products;
    alter table products drop column search_text, drop column search_sku;
    delete from migrations where name like '%_product_search.sql'`)
  const data = (await openAt(t, url)).of(id)
  for (const [word, total] of [
    ['plain-7', 1],
    ['äsku-599', 1],
    ['äs', 599],
    ['wav', 600],
  ] as const) {
    const found = await data.listProducts({ page: 1, perPage: 1, words: [word] })
    assert.equal(found.total, total, word)
  }
})

test('existing assets get search paths, so that a search finds the words of their paths', async (t) => {
  const url = await server.database(t)
  const before = await openAt(t, url)
  const { id } = await anAccount(before, 'default')
  for (const path of ['Über/Kurs', null]) await aLink(before.of(id), { path })
  const admin = postgres(url)
  cleanUp(t, () => admin.end())
  await admin`update assets set search_path = null`
  const data = (await openAt(t, url)).of(id)
  const { rows } = await data.listAssets({ page: 1, perPage: 5, sort: NEWEST, words: ['über'] })
  assert.deepEqual(
    rows.map(({ path }) => path),
    ['Über/Kurs'],
  )
})

test('existing assets get sort names, so that numbers in their names are sorted by value', async (t) => {
  const url = await server.database(t)
  const before = await openAt(t, url)
  const { id } = await anAccount(before, 'default')
  for (const filename of ['10', '9', '100']) await aLink(before.of(id), { filename })
  const admin = postgres(url)
  cleanUp(t, () => admin.end())
  await admin`update assets set sort_name = null`
  const data = (await openAt(t, url)).of(id)
  const sort = { by: 'filename', descending: false } as const
  const { rows } = await data.listAssets({ page: 1, perPage: 5, sort })
  assert.deepEqual(
    rows.map(({ filename }) => filename),
    ['9', '10', '100'],
  )
})
