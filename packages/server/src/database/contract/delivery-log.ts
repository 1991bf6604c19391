import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, type Contract, NOON } from './builders.ts'
import {
  aDelivery,
  addWebhook,
  anAttempt,
  claimAt,
  failureAt,
  queue,
  readDelivery,
  SUCCESS,
} from './webhook-builders.ts'

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
