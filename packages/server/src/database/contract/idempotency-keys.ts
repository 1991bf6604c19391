import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { Asset } from '../../domain/asset.ts'
import type { AccountData } from '../account-data.ts'
import type { Once } from '../idempotency-data.ts'
import { anAccount, aToken, type Contract, NOON, select } from './builders.ts'

const LIMITS = { lifetimeMs: 3_600_000, maxTokens: 100 }

function once(id: string, change: Partial<Once> = {}): Once {
  return { key: 'order-1', digest: 'digest', id, nonce: `nonce of ${id}`, ...change }
}

function aKey(id = newUuid()) {
  const secret = { hash: `hash of ${id}`, hint: 'abcd' }
  return { id, name: 'shop', scope: 'read' as const, createdAt: NOON, ...secret }
}

/** Each creation, with a new ID for each call. Returns the ID of what exists. */
const CREATIONS: [name: string, create: (data: AccountData, change?: Partial<Once>) => unknown][] =
  [
    [
      'key',
      (data, change) => {
        const key = aKey()
        return data.addKeyOnce(once(key.id, change), key, 100)
      },
    ],
    [
      'token',
      (data, change) => {
        const token = aToken()
        return data.addUploadTokenOnce(once(token.id, change), token, LIMITS)
      },
    ],
    [
      'webhook',
      (data, change) => {
        const id = newUuid()
        const details = { url: 'https://a.example', description: '', types: null, createdAt: NOON }
        return data.addWebhookOnce(once(id, change), { ...details, id, secret: 'sealed' }, 20)
      },
    ],
    [
      'link',
      (data, change) => {
        const id = newUuid()
        return data.addLinkOnce(once(id, change), aLinkAsset(id))
      },
    ],
  ]

function aLinkAsset(id: string): Asset {
  return {
    id,
    accountId: '',
    kind: 'link',
    status: 'ready',
    filename: 'a',
    bytes: 0,
    mime: 'application/octet-stream',
    url: 'https://a.example',
    createdAt: NOON,
    updatedAt: NOON,
    version: 1,
    path: null,
    tags: [],
    isInline: false,
    integrity: { sha256: null, verifiedAt: null, isDamaged: false, isWithheld: false },
  }
}

async function countAll(data: AccountData): Promise<number[]> {
  const tokens = await data.listUploadTokens({ page: 1, perPage: 10 })
  const [keys, webhooks] = [await data.listKeys(), await data.listWebhooks()]
  const { assets } = await data.readSummary()
  return [keys.length, tokens.total, webhooks.length, assets]
}

/** The contract for creations that run once for each idempotency key. */
export function testIdempotencyKeys({ name, open }: Contract): void {
  for (const [index, [what, create]] of CREATIONS.entries()) {
    test(name(`concurrent calls with the same idempotency key create one ${what}`), async (t) => {
      const { data } = await open(t)
      const outcomes = (await Promise.all(Array.from({ length: 6 }, () => create(data)))) as {
        outcome: string
        id: string
        nonce: string
      }[]
      assert.equal(outcomes.filter(({ outcome }) => outcome === 'first').length, 1)
      const repeated = outcomes.filter(({ outcome }) => outcome === 'repeated')
      assert.equal(repeated.length, 5)
      assert.equal(new Set(repeated.map(({ id, nonce }) => `${id} ${nonce}`)).size, 1)
      assert.equal(repeated[0]?.nonce, `nonce of ${repeated[0]?.id}`)
      assert.deepEqual(await create(data, { digest: 'other' }), { outcome: 'key_reused' })
      assert.equal((await countAll(data))[index], 1)
      await create(data, { key: 'order-2' })
      assert.equal((await countAll(data))[index], 2)
    })
  }

  test(name('an idempotency key of another account is another key'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    for (const account of [data, other]) {
      const key = aKey()
      assert.equal((await account.addKeyOnce(once(key.id), key, 100)).outcome, 'first')
    }
  })

  test(name('a refused creation leaves its idempotency key unused'), async (t) => {
    const { data } = await open(t)
    const key = aKey()
    const full = await data.addKeyOnce(once(key.id), key, 0)
    assert.deepEqual(full, { outcome: 'first', added: undefined })
    assert.equal((await data.addKeyOnce(once(key.id), key, 1)).outcome, 'first')
    const token = aToken({ attach: select({ productIds: [1] }) })
    const token2 = { key: 'order-2' }
    const refused = await data.addUploadTokenOnce(once(token.id, token2), token, LIMITS)
    assert.ok(refused.outcome === 'first' && refused.added.outcome === 'products_not_found')
    const plain = aToken()
    const added = await data.addUploadTokenOnce(once(plain.id, token2), plain, LIMITS)
    assert.ok(added.outcome === 'first' && added.added.outcome === 'added')
  })

  test(name('old idempotency keys are forgotten in batches'), async (t) => {
    const { database, data } = await open(t)
    for (const order of ['1', '2', '3']) {
      const key = aKey()
      await data.addKeyOnce(once(key.id, { key: order }), key, 100)
    }
    assert.equal(await database.forgetIdempotencyKeys(3_600_000, 10), 0)
    assert.equal(await database.forgetIdempotencyKeys(-1000, 2), 2)
    assert.equal(await database.forgetIdempotencyKeys(-1000, 2), 1)
    const key = aKey()
    assert.equal((await data.addKeyOnce(once(key.id, { key: '1' }), key, 100)).outcome, 'first')
  })
}
