import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_LOGGED_ATTEMPTS } from '../../domain/webhook.ts'
import type { ClaimLimits } from '../event-data.ts'
import {
  aDelivery,
  addWebhook,
  after,
  aLink,
  anAccount,
  anAttempt,
  type Contract,
  claimAt,
  failureAt,
  NOON,
  queue,
  readDelivery,
  SUCCESS,
} from './builders.ts'

/** The contract for the queue of deliveries. */
export function testDeliveries({ name, open }: Contract): void {
  test(name('of concurrent calls that queue the same events, one wins'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    const add = (after: number, eventIds: number[]) =>
      database.addDeliveries(
        id,
        { after, until: after + 2 },
        eventIds.map((eventId) => aDelivery({ eventId })),
      )
    // Event 1 is `webhook.created` of this webhook.
    const won = await Promise.all([add(1, [2, 3]), add(1, [2, 3]), add(1, [2, 3])])
    assert.equal(won.filter(Boolean).length, 1)
    assert.equal(await add(3, [5]), true)
    assert.equal(await add(3, [4, 5]), false)
    // `lastEvent` also advances if the webhook needs none of the events.
    assert.equal(await add(5, []), true)
    const rows = await database.listAllDeliveries(id, undefined, 10)
    assert.deepEqual(
      rows.map(({ eventId }) => eventId),
      [2, 3, 5],
    )
    assert.equal((await database.listAllWebhooks(undefined, 1))[0]?.lastEvent, 7)
  })

  test(
    name('concurrent instances claim each due delivery once, up to the limit of its webhook'),
    async (t) => {
      const { database, data } = await open(t)
      const webhooks = [await addWebhook(data), await addWebhook(data)]
      for (const { id } of webhooks) await queue(database, id, 10)
      const claims = await Promise.all(
        [1, 2, 3, 4].map(() => claimAt(database, NOON, { perWebhook: 3 })),
      )
      // A call skips a webhook while another call claims its deliveries.
      const rest = await claimAt(database, NOON, { perWebhook: 3 })
      const claimed = [...claims.flat(), ...rest]
      assert.equal(new Set(claimed.map(({ delivery }) => delivery.id)).size, claimed.length)
      for (const { id } of webhooks) {
        assert.equal(claimed.filter(({ webhook }) => webhook.id === id).length, 3)
      }
      const [one] = claimed
      assert.ok(one)
      await database.recordAttempt(one, SUCCESS)
      const next = await claimAt(database, NOON, { perWebhook: 3 })
      assert.deepEqual(
        next.map(({ webhook }) => webhook.id),
        [one.webhook.id],
      )
    },
  )

  test(
    name(
      'after a claim ends, another instance can claim the delivery, and the first can only record a success',
    ),
    async (t) => {
      const { database, data } = await open(t)
      const { id } = await addWebhook(data)
      await queue(database, id, 1)
      const [first] = await claimAt(database, NOON)
      assert.ok(first)
      assert.deepEqual(await claimAt(database, new Date(NOON.getTime() + 59_000)), [])
      const [second] = await claimAt(database, after(1))
      assert.deepEqual(second?.delivery.id, first.delivery.id)
      await database.recordAttempt(first, failureAt(after(1)))
      assert.deepEqual((await readDelivery(data, first.delivery)).failures, 0)
      assert.equal((await data.findWebhook(id))?.failingSince, null)
      await database.recordAttempt(first, SUCCESS)
      assert.deepEqual((await readDelivery(data, first.delivery)).status, 'succeeded')
      assert.ok(second)
      await database.recordAttempt(second, failureAt(after(2), { isGone: true }))
      const webhook = await data.findWebhook(id)
      assert.deepEqual([webhook?.failingSince, webhook?.disabled], [null, null])
      const { status, attempts } = await readDelivery(data, first.delivery)
      assert.deepEqual([status, attempts.length], ['succeeded', 1])
    },
  )

  test(
    name('a claim can be extended, unless another instance has claimed the delivery'),
    async (t) => {
      const { database, data } = await open(t)
      const { id } = await addWebhook(data)
      await queue(database, id, 2)
      const claimed = await claimAt(database, NOON)
      await database.renewClaims(claimed, after(2))
      assert.deepEqual(await claimAt(database, after(1)), [])
      const again = await claimAt(database, after(2))
      assert.equal(again.length, 2)
      // The first claims were lost, so extending them has no effect.
      await database.renewClaims(claimed, after(9))
      assert.equal((await claimAt(database, after(3))).length, 2)
      await database.renewClaims([], after(9))
    },
  )

  test(name('a released claim can be claimed again immediately'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    await queue(database, id, 1)
    const [first] = await claimAt(database, NOON)
    assert.ok(first)
    await database.releaseClaim(first)
    const now = await database.readClock()
    const [second] = await claimAt(database, new Date(now.getTime() + 1))
    assert.ok(second)
    await database.releaseClaim(first)
    assert.deepEqual(await claimAt(database, new Date(now.getTime() + 1000)), [])
  })

  test(
    name('a failed delivery is due again at its retry, and fails permanently after the last'),
    async (t) => {
      const { database, data } = await open(t)
      const { id } = await addWebhook(data)
      await queue(database, id, 1)
      for (let attempt = 0; attempt < 12; attempt += 1) {
        const now = after(attempt)
        const early = new Date(now.getTime() - 1)
        const health = attempt === 0 ? 'working' : 'failing'
        assert.deepEqual(await claimAt(database, early, { health }), [])
        const [claimed] = await claimAt(database, now, { health })
        assert.equal(claimed?.delivery.failures, attempt)
        assert.ok(claimed)
        await database.recordAttempt(claimed, failureAt(now, { isLast: attempt === 11 }))
      }
      const { rows } = await data.listDeliveries(id, { page: 1, perPage: 1 })
      const [delivery] = rows
      assert.deepEqual(
        [delivery?.status, delivery?.failures, delivery?.dueAt],
        ['failed', 12, null],
      )
      const times = delivery?.attempts.map(({ at }) => at)
      assert.deepEqual(
        times,
        Array.from({ length: MAX_LOGGED_ATTEMPTS }, (_, index) => after(index + 2)),
      )
      assert.equal((await data.findWebhook(id))?.pending, 0)
    },
  )

  test(
    name('the time of the next delivery is that of the first one of an enabled webhook'),
    async (t) => {
      const { database, data } = await open(t)
      const [good, bad] = [await addWebhook(data), await addWebhook(data)]
      const next = () =>
        Promise.all([database.nextDeliveryAt('working'), database.nextDeliveryAt('failing')])
      assert.deepEqual(await next(), [undefined, undefined])
      await queue(database, good.id, 2, { createdAt: after(2) })
      await queue(database, bad.id, 1)
      assert.deepEqual(await next(), [NOON, undefined])
      const [claimed] = await claimAt(database, NOON)
      assert.ok(claimed)
      await database.recordAttempt(claimed, failureAt(NOON))
      assert.deepEqual(await next(), [after(2), after(1)])
      await data.changeWebhook(bad.id, { isEnabled: false }, NOON)
      assert.deepEqual(await next(), [after(2), undefined])
    },
  )

  test(name('deliveries of failing webhooks are claimed separately'), async (t) => {
    const { database, data } = await open(t)
    const [good, bad] = [await addWebhook(data), await addWebhook(data)]
    for (const { id } of [good, bad]) await queue(database, id, 2)
    const claimed = await claimAt(database, NOON, { perWebhook: 1 })
    const one = claimed.find(({ webhook }) => webhook.id === bad.id)
    assert.ok(one)
    await database.recordAttempt(one, failureAt(NOON))
    assert.deepEqual((await data.findWebhook(bad.id))?.failingSince, NOON)
    const failing = await claimAt(database, NOON, { health: 'failing' })
    assert.deepEqual(
      failing.map(({ webhook }) => webhook.id),
      [bad.id],
    )
    assert.deepEqual(await claimAt(database, NOON, { perWebhook: 1 }), [])
    for (const claim of failing) await database.recordAttempt(claim, SUCCESS)
    assert.equal((await data.findWebhook(bad.id))?.failingSince, null)
    const later = await claimAt(database, after(1))
    assert.deepEqual(later.map(({ webhook }) => webhook.id === bad.id).sort(), [false, false, true])
  })

  test(
    name('if more deliveries are due than can be claimed, every webhook gets a share'),
    async (t) => {
      const { database, data } = await open(t)
      const busy = await addWebhook(data)
      await queue(database, busy.id, 20, { createdAt: after(-1) })
      for (const _ of [1, 2, 3]) await queue(database, (await addWebhook(data)).id, 5)
      const claimed = await claimAt(database, NOON, { limit: 8 })
      const counts = Map.groupBy(claimed, ({ webhook }) => webhook.id)
      assert.deepEqual(
        [...counts.values()].map((claims) => claims.length),
        [2, 2, 2, 2],
      )
    },
  )

  test(name('claiming stops at the limit of bytes, after at least one delivery'), async (t) => {
    const { database, data } = await open(t)
    const body = 'ä'.repeat(50)
    for (const _ of [1, 2, 3]) await queue(database, (await addWebhook(data)).id, 3, { body })
    const counts: number[] = []
    for (const maxBytes of [1, 100, 101, 400, 400]) {
      counts.push((await claimAt(database, NOON, { maxBytes })).length)
    }
    assert.deepEqual(counts, [1, 1, 2, 4, 1])
    // The body of a delivery without one is built from its event.
    const { id } = await addWebhook(data)
    for (const _ of [1, 2, 3]) await aLink(data)
    await queue(database, id, 3, { body: null })
    assert.equal((await claimAt(database, NOON, { maxBytes: 1 })).length, 1)
  })

  test(
    name('an account that has reached its own limit of bytes does not delay the others'),
    async (t) => {
      const { database, account, data } = await open(t)
      const other = database.of((await anAccount(database, 'other')).id)
      const body = 'x'.repeat(100)
      for (const _ of [1, 2, 3]) await queue(database, (await addWebhook(data)).id, 3, { body })
      await queue(database, (await addWebhook(other)).id, 3, { body, createdAt: after(1) })
      const runningBytes = new Map<string, number>()
      const claim = async (limits: Partial<ClaimLimits> = {}) => {
        const claimed = await claimAt(database, after(1), {
          maxBytesPerAccount: 150,
          runningBytes,
          ...limits,
        })
        const own = claimed.filter(({ webhook }) => webhook.accountId === account.id)
        return [own.length, claimed.length - own.length]
      }
      assert.deepEqual(await claim({ maxBytes: 250 }), [2, 1])
      runningBytes.set(account.id, 200)
      // The deliveries of the full account were due first.
      assert.deepEqual(await claim({ limit: 1 }), [0, 1])
      runningBytes.set(account.id, 100)
      assert.deepEqual(await claim(), [1, 1])
      runningBytes.clear()
      // One larger body can be claimed, too.
      assert.deepEqual(await claim({ maxBytesPerAccount: 1 }), [1, 0])
    },
  )

  test(name('a webhook is disabled after days of failures, and its deliveries wait'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    await queue(database, id, 1)
    for (const [hours, isDisabled] of [
      [0, false],
      [71, false],
      [72, true],
    ] as const) {
      const health = hours === 0 ? 'working' : 'failing'
      const [claimed] = await claimAt(database, after(hours), { health })
      assert.ok(claimed)
      const outcome = await database.recordAttempt(claimed, failureAt(after(hours)))
      assert.deepEqual(outcome, { isDisabled })
    }
    const webhook = await data.findWebhook(id)
    assert.deepEqual(webhook?.disabled, { at: after(72), reason: 'failing' })
    assert.equal(webhook?.pending, 1)
    assert.deepEqual(await claimAt(database, after(999), { health: 'failing' }), [])
    await data.changeWebhook(id, { isEnabled: true }, after(1000))
    assert.equal((await claimAt(database, after(1000))).length, 1)
  })
}

/** The contract for deliveries that people request, and for the removal of deliveries. */
export function testDeliveryLog({ name, open }: Contract): void {
  test(name('a delivery can be sent again, unless an attempt is running'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    const [queued] = await queue(database, id, 1)
    const delivery = { webhookId: id, id: queued?.id ?? '' }
    const now = await database.readClock()
    const [first] = await claimAt(database, now)
    assert.ok(first)
    const redeliver = async () => {
      const sent = await data.redeliver(id, delivery.id)
      return typeof sent === 'object' ? sent : assert.fail(sent)
    }
    assert.equal((await redeliver()).status, 'pending')
    assert.deepEqual(await claimAt(database, new Date(now.getTime() + 50_000)), [])
    await database.recordAttempt(first, failureAt(now, { isLast: true }))
    assert.equal((await readDelivery(data, delivery)).status, 'failed')
    const again = await redeliver()
    assert.deepEqual([again.status, again.failures], ['pending', 0])
    const [second] = await claimAt(database, new Date(Date.now() + 1000), { health: 'failing' })
    assert.ok(second)
    await database.recordAttempt(second, SUCCESS)
    const { status, attempts } = await readDelivery(data, delivery)
    assert.deepEqual([status, attempts.map((attempt) => attempt.status)], ['succeeded', [500, 200]])
  })

  test(
    name('a ping is claimed when it is added, and does not change the state of its webhook'),
    async (t) => {
      const { database, data } = await open(t)
      const { id: webhookId } = await addWebhook(data)
      await data.changeWebhook(webhookId, { isEnabled: false }, NOON)
      const claim = { webhookId, claimForMs: 60_000, maxClaims: 2 }
      const ping = () => aDelivery({ type: 'ping', body: '{"type":"ping"}' })
      const added = await Promise.all([1, 2, 3].map(() => data.addPing(ping(), claim)))
      assert.equal(added.filter((outcome) => outcome === 'busy').length, 1)
      const [one, two] = added.flatMap((outcome) => (typeof outcome === 'object' ? [outcome] : []))
      assert.ok(one && two)
      assert.deepEqual(
        await database.recordAttempt(one, failureAt(NOON, { isGone: true, isLast: true })),
        {
          isDisabled: false,
        },
      )
      await database.recordAttempt(two, {
        outcome: 'succeeded',
        attempt: anAttempt({ status: 204 }),
      })
      assert.equal((await readDelivery(data, one.delivery)).status, 'failed')
      assert.equal((await readDelivery(data, two.delivery)).status, 'succeeded')
      const webhook = await data.findWebhook(webhookId)
      assert.deepEqual([webhook?.disabled?.reason, webhook?.failingSince], ['manual', null])
    },
  )

  test(
    name('above the limit, ended deliveries are removed; old deliveries are always removed'),
    async (t) => {
      const { database, data } = await open(t)
      const { id } = await addWebhook(data)
      await queue(database, id, 8)
      const claimed = await claimAt(database, NOON, { perWebhook: 6 })
      for (const claim of claimed) await database.recordAttempt(claim, SUCCESS)
      const trim = (limit: number) =>
        database.trimDeliveries(id, { keep: 3, limit, now: NOON, latest: after(1) })
      const eventIds = async () =>
        (await database.listAllDeliveries(id, undefined, 100)).map(({ eventId }) => eventId)
      assert.deepEqual([await trim(2), await eventIds()], [2, [4, 5, 6, 7, 8, 9]])
      assert.deepEqual([await trim(10), await eventIds()], [1, [5, 6, 7, 8, 9]])
      assert.equal(await trim(10), 0)
      assert.equal(await database.forgetDeliveries(NOON, 10), 0)
      assert.equal(await database.forgetDeliveries(after(1), 2), 2)
      assert.equal(await database.forgetDeliveries(after(1), 10), 3)
    },
  )

  test(name('a delivery that a wrong clock postponed becomes due'), async (t) => {
    const { database, data } = await open(t)
    const { id } = await addWebhook(data)
    await queue(database, id, 1, { createdAt: after(9999) })
    assert.deepEqual(await claimAt(database, NOON), [])
    await database.trimDeliveries(id, { keep: 3, limit: 1, now: NOON, latest: after(25) })
    assert.equal((await claimAt(database, NOON)).length, 1)
  })

  test(
    name('deleting a webhook deletes its deliveries, even while one is being sent'),
    async (t) => {
      const { database, data } = await open(t)
      const { id } = await addWebhook(data)
      await queue(database, id, 3)
      const [claimed] = await claimAt(database, NOON, { perWebhook: 1 })
      assert.ok(claimed)
      await data.deleteWebhook(id)
      await database.recordAttempt(claimed, failureAt(NOON))
      await database.releaseClaim(claimed)
      assert.deepEqual(await database.listAllDeliveries(id, undefined, 10), [])
      assert.equal(await database.addDeliveries(id, { after: 4, until: 5 }, [aDelivery()]), false)
      assert.deepEqual(await claimAt(database, NOON), [])
    },
  )
}
