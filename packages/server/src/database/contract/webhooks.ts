import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import {
  aDelivery,
  addWebhook,
  after,
  anAccount,
  anAttempt,
  aWebhook,
  type Contract,
  claimAt,
  failureAt,
  NOON,
  queue,
  SUCCESS,
} from './builders.ts'

/** The contract for the webhooks of an account and their log. */
export function testWebhooks({ name, open }: Contract): void {
  test(name('a webhook can be added, listed, changed and deleted'), async (t) => {
    const { data, account } = await open(t)
    const first = await addWebhook(data, { types: ['asset.ready'], description: 'shop' })
    const second = await addWebhook(data)
    assert.deepEqual(first, {
      id: first.id,
      accountId: account.id,
      url: 'https://shop.example/hook',
      description: 'shop',
      types: ['asset.ready'],
      secret: 'whsec_one',
      previousSecrets: [],
      createdAt: NOON,
      updatedAt: NOON,
      disabled: null,
      failingSince: null,
      missed: null,
      pending: 0,
    })
    assert.deepEqual(await data.listWebhooks(), [first, second])
    assert.deepEqual(await data.findWebhook(first.id), first)

    const changed = await data.changeWebhook(first.id, { types: null, url: 'http://b' }, after(1))
    assert.deepEqual(changed, { ...first, types: null, url: 'http://b', updatedAt: after(1) })
    assert.deepEqual(await data.findWebhook(second.id), second)

    assert.equal(await data.deleteWebhook(first.id), true)
    assert.equal(await data.deleteWebhook(first.id), false)
    assert.equal(await data.changeWebhook(first.id, { url: 'http://c' }, after(2)), undefined)
    assert.deepEqual(await data.listWebhooks(), [second])
  })

  test(name('encrypted secrets exist once a webhook is added'), async (t) => {
    const { database, data } = await open(t)
    assert.equal(await database.hasSealedSecrets(), false)
    await addWebhook(data, { secret: 'sealed:a:one' })
    assert.equal(await database.hasSealedSecrets(), true)
  })

  test(name('concurrent calls cannot exceed the maximum number of webhooks'), async (t) => {
    const { data } = await open(t)
    const added = await Promise.all([1, 2, 3, 4, 5].map(() => data.addWebhook(aWebhook(), 3)))
    assert.equal(added.filter((webhook) => webhook !== undefined).length, 3)
    assert.equal((await data.listWebhooks()).length, 3)
  })

  test(name('a webhook stays disabled for its first reason until it is enabled'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    await queue(database, id, 1)
    const [claimed] = await claimAt(database, NOON)
    assert.ok(claimed)
    assert.deepEqual(await database.recordAttempt(claimed, failureAt(NOON, { isGone: true })), {
      isDisabled: true,
    })
    const gone = { at: NOON, reason: 'gone' }
    const disabled = await data.changeWebhook(id, { isEnabled: false }, after(1))
    assert.deepEqual([disabled?.disabled, disabled?.failingSince], [gone, NOON])
    const enabled = await data.changeWebhook(id, { isEnabled: true }, after(2))
    assert.deepEqual([enabled?.disabled, enabled?.failingSince], [null, null])
    const manual = await data.changeWebhook(id, { isEnabled: false }, after(3))
    assert.deepEqual(manual?.disabled, { at: after(3), reason: 'manual' })
  })

  test(name('events of webhooks name the changed fields, and contain no secret'), async (t) => {
    const { database, data } = await open(t)
    const url = 'https://shop.example:8443/secret-path?token=secret-value'
    const { id } = await addWebhook(data, { url, secret: 'secret-key' })
    await queue(database, id, 1)
    const [claimed] = await claimAt(database, NOON)
    assert.ok(claimed)
    await database.recordAttempt(claimed, failureAt(NOON, { isGone: true }))
    const change = { url: `${url}2`, types: ['asset.ready'], description: 'd', isEnabled: true }
    await data.changeWebhook(id, change, after(1))
    await data.rotateSecret(id, { ...rotation(), secret: 'secret-key-2' })
    await data.changeWebhook(id, { isEnabled: false }, after(2))
    await data.deleteWebhook(id)
    const { events } = await data.listEvents({ after: 0, limit: 10 })
    const seen = events.flatMap(({ type, actor, data: webhook }) =>
      'changed' in webhook
        ? [[type, webhook.changed.join(), webhook.disabledReason, actor.type]]
        : [],
    )
    assert.deepEqual(seen, [
      ['webhook.created', '', null, 'operator'],
      ['webhook.updated', 'enabled', 'gone', 'job'],
      ['webhook.updated', 'url,description,types,enabled', null, 'operator'],
      ['webhook.updated', 'secret', null, 'operator'],
      ['webhook.updated', 'enabled', 'manual', 'operator'],
      ['webhook.deleted', '', 'manual', 'operator'],
    ])
    const [, , changed] = events
    assert.deepEqual(changed?.data, {
      id,
      origin: 'https://shop.example:8443',
      description: 'd',
      types: ['asset.ready'],
      disabledReason: null,
      createdAt: NOON,
      updatedAt: after(1),
      changed: ['url', 'description', 'types', 'enabled'],
    })
    assert.doesNotMatch(JSON.stringify(events), /secret-/)
  })

  test(name('a new webhook does not receive the event of its creation'), async (t) => {
    const { database, data } = await open(t)
    await addWebhook(data)
    assert.deepEqual(await database.listWebhooksBehind({ limit: 10, maxPending: 10 }), [])
    const second = await addWebhook(data)
    const behind = await database.listWebhooksBehind({ limit: 10, maxPending: 10 })
    assert.equal(behind.length, 1)
    assert.notEqual(behind[0]?.id, second.id)
  })

  test(name('attempts with an earlier URL do not count against a new one'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    await queue(database, id, 3)
    const [failing] = await claimAt(database, NOON, { limit: 1 })
    assert.ok(failing)
    await database.recordAttempt(failing, failureAt(NOON))
    const [gone, successful] = await claimAt(database, NOON, { health: 'failing' })
    assert.ok(gone && successful)
    const url = 'https://new.example/hook'
    const changed = await data.changeWebhook(id, { url }, after(1))
    assert.deepEqual([changed?.url, changed?.failingSince], [url, null])
    assert.deepEqual(await database.recordAttempt(gone, failureAt(after(80), { isGone: true })), {
      isDisabled: false,
    })
    const unchanged = await data.findWebhook(id)
    assert.deepEqual([unchanged?.disabled, unchanged?.failingSince], [null, null])
    const [own] = await claimAt(database, after(2))
    assert.ok(own)
    await database.recordAttempt(own, failureAt(after(2)))
    await database.recordAttempt(successful, SUCCESS)
    assert.deepEqual((await data.findWebhook(id))?.failingSince, after(2))
  })

  test(name('a limited number of replaced secrets is kept while they are valid'), async (t) => {
    const { data } = await open(t)
    const { id } = await addWebhook(data)
    const rotate = (secret: string, hours: number) =>
      data.rotateSecret(id, {
        secret,
        now: after(hours),
        validUntil: after(hours + 24),
        maxPrevious: 2,
      })
    const old = (secret: string, hours: number) => ({ secret, validUntil: after(hours) })
    const second = await rotate('two', 0)
    assert.deepEqual(second?.secret, 'two')
    assert.deepEqual(second?.previousSecrets, [old('whsec_one', 24)])
    assert.deepEqual((await rotate('three', 1))?.previousSecrets, [
      old('two', 25),
      old('whsec_one', 24),
    ])
    assert.deepEqual((await rotate('four', 2))?.previousSecrets, [old('three', 26), old('two', 25)])
    assert.deepEqual((await rotate('five', 26))?.previousSecrets, [old('four', 50)])
    assert.deepEqual((await data.findWebhook(id))?.secret, 'five')
    assert.equal(await data.rotateSecret(newUuid(), rotation()), undefined)
  })

  test(name('webhooks and deliveries of other accounts are invisible'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    const webhook = await addWebhook(other)
    const [delivery] = await queue(database, webhook.id, 1)
    const id = delivery?.id ?? ''
    assert.deepEqual(await data.listWebhooks(), [])
    assert.equal(await data.findWebhook(webhook.id), undefined)
    assert.equal(await data.changeWebhook(webhook.id, { url: 'http://b' }, NOON), undefined)
    assert.equal(await data.rotateSecret(webhook.id, rotation()), undefined)
    assert.equal(await data.deleteWebhook(webhook.id), false)
    const page = { page: 1, perPage: 10 }
    assert.deepEqual(await data.listDeliveries(webhook.id, page), { rows: [], total: 0 })
    assert.equal(await data.findDelivery(webhook.id, id), undefined)
    assert.equal(await data.redeliver(webhook.id, id), undefined)
    const claim = { webhookId: webhook.id, claimForMs: 1000, maxClaims: 1 }
    assert.equal(await data.addPing(aDelivery(), claim), undefined)
    assert.equal((await other.listDeliveries(webhook.id, page)).total, 1)
    assert.deepEqual(await other.findWebhook(webhook.id), { ...webhook, pending: 1 })
  })

  test(name('deliveries are listed newest first, and can be filtered by status'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    const queued = await queue(database, id, 5, { body: '{"a":1}' })
    const [first] = await claimAt(database, NOON, { perWebhook: 1 })
    assert.ok(first)
    await database.recordAttempt(first, { outcome: 'succeeded', attempt: anAttempt() })
    const ids = queued.map((delivery) => delivery.id).reverse()
    const list = async (query: object) => {
      const { rows, total } = await data.listDeliveries(id, { page: 1, perPage: 2, ...query })
      return [rows.map((row) => ids.indexOf(row.id)), total]
    }
    assert.deepEqual(await list({}), [[0, 1], 5])
    assert.deepEqual(await list({ page: 3 }), [[4], 5])
    assert.deepEqual(await list({ page: 4 }), [[], 5])
    assert.deepEqual(await list({ after: { id: ids[2] } }), [[3, 4], 5])
    assert.deepEqual(await list({ status: 'succeeded' }), [[4], 1])
    assert.deepEqual(await list({ status: 'failed' }), [[], 0])
    const found = await data.findDelivery(id, first.delivery.id)
    assert.deepEqual(found, {
      id: ids[4],
      webhookId: id,
      eventId: 2,
      type: 'asset.ready',
      status: 'succeeded',
      body: '{"a":1}',
      createdAt: NOON,
      dueAt: null,
      failures: 0,
      attempts: [anAttempt()],
    })
  })

  test(name('a webhook and its deliveries can be imported repeatedly'), async (t) => {
    const { database, data } = await open(t)
    const webhook = {
      ...(await addWebhook(data, { types: ['asset.ready'] })),
      previousSecrets: [{ secret: 'old', validUntil: after(5) }],
      disabled: { at: after(1), reason: 'failing' as const },
      failingSince: NOON,
      lastEvent: 7,
    }
    const [delivery] = await queue(database, webhook.id, 1)
    const [claimed] = await claimAt(database, NOON)
    assert.ok(delivery && claimed)
    await database.recordAttempt(claimed, failureAt(after(1)))
    const deliveries = await database.listAllDeliveries(webhook.id, undefined, 10)
    assert.equal(deliveries.length, 1)
    await data.deleteWebhook(webhook.id)

    const target = await anAccount(database, 'target')
    const other = database.of(target.id)
    const { pending, ...imported } = webhook
    for (const _ of [1, 2]) await other.importWebhooks({ webhooks: [imported], deliveries })
    const stored = { ...imported, accountId: target.id, pending: 1 }
    assert.deepEqual(await database.listAllWebhooks(undefined, 10), [stored])
    assert.deepEqual(await database.listAllWebhooks(webhook.id, 10), [])
    assert.deepEqual(await database.listAllDeliveries(webhook.id, undefined, 10), deliveries)
    assert.deepEqual(await database.listAllDeliveries(webhook.id, delivery.id, 10), [])
  })
}

function rotation() {
  return { secret: 'x', now: NOON, validUntil: after(1), maxPrevious: 1 }
}
