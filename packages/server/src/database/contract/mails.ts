import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { type Mail, type NewMail, NO_MAIL_SETTINGS } from '../../domain/mail.ts'
import type { AccountData } from '../account-data.ts'
import type { MailClaim } from '../mail-data.ts'
import { anAccount, type Contract } from './builders.ts'
import { addOrder } from './orders.ts'

export function aMail(facts: Partial<NewMail> = {}): NewMail {
  const id = newUuid()
  return {
    id,
    kind: 'files_ready',
    cause: 'call',
    orderId: null,
    noticeId: null,
    assetId: null,
    recipient: 'ada@example.com',
    locale: 'de',
    messageId: `<${id}@example.com>`,
    ...facts,
  }
}

export async function addMail(data: AccountData, facts: Partial<NewMail> = {}): Promise<Mail> {
  const added = await data.addMail(aMail(facts), 1000)
  assert.ok(added !== 'too_many')
  return added
}

export const CLAIM: MailClaim = {
  leaseMs: 60_000,
  limit: 100,
  newsLimit: 100,
  perAccount: 100,
  running: new Map(),
}
export const NEXT = { page: 1, perPage: 10 }
const SENT = { state: 'sent', reason: null } as const
const WAITS = { state: 'queued', reason: 'held', afterMs: 900_000, isAttempt: false } as const

export function testMails({ name, open }: Contract): void {
  test(name('a mail is queued, claimed once, and its result is recorded once'), async (t) => {
    const { database, data } = await open(t)
    const order = await addOrder(data, { email: 'ada@example.com' })
    const mail = await addMail(data, { orderId: order.id })
    assert.deepEqual([mail.state, mail.attempts, mail.sentAt], ['queued', 0, null])
    const claims = await Promise.all([1, 2, 3, 4].map(() => database.claimMails(CLAIM)))
    const [claimed, ...others] = claims.flat()
    assert.ok(claimed)
    assert.deepEqual(
      [claimed.id, claimed.state, claimed.attempts, others],
      [mail.id, 'sending', 1, []],
    )
    assert.ok(((await database.nextMailIn()) ?? 0) > 50_000)
    const results = await Promise.all([1, 2, 3].map(() => database.recordMail(claimed, SENT)))
    assert.equal(results.filter((isRecorded) => isRecorded).length, 1)
    const sent = await data.findMail(mail.id)
    assert.equal(sent?.state, 'sent')
    assert.ok(sent?.sentAt)
    assert.ok((await data.findOrder({ id: order.id, reference: order.id }))?.emailSentAt)
    assert.equal(await database.nextMailIn(), undefined)
    const { events } = await data.listEvents({ after: 0, limit: 10 })
    assert.equal(events.filter(({ type }) => type === 'mail.sent').length, 1)
  })

  test(
    name('another instance gets a mail whose lease has ended, and the first one records nothing'),
    async (t) => {
      const { database, data } = await open(t)
      await addMail(data)
      const [first] = await database.claimMails({ ...CLAIM, leaseMs: 0, limit: 1 })
      const [second] = await database.claimMails(CLAIM)
      assert.ok(first && second)
      assert.deepEqual([second.id, second.attempts], [first.id, 2])
      assert.equal(second.messageId, first.messageId)
      assert.equal(await database.recordMail(first, SENT), false)
      assert.equal(await database.recordMail(second, { state: 'failed', reason: '550 No' }), true)
      const failed = await data.findMail(first.id)
      assert.deepEqual([failed?.state, failed?.reason], ['failed', '550 No'])
    },
  )

  test(
    name('a mail is retried after its pause, and an attempt without the server does not count'),
    async (t) => {
      const { database, data } = await open(t)
      const { id } = await addMail(data)
      const [claimed] = await database.claimMails(CLAIM)
      assert.ok(claimed)
      const again = { state: 'queued', reason: 'held', afterMs: 60_000, isAttempt: false } as const
      assert.equal(await database.recordMail(claimed, again), true)
      const waiting = await data.findMail(id)
      assert.deepEqual([waiting?.state, waiting?.attempts, waiting?.reason], ['queued', 0, 'held'])
      assert.deepEqual(await database.claimMails(CLAIM), [])
      assert.equal(await data.hastenMail(id), true)
      assert.equal((await database.claimMails(CLAIM)).length, 1)
      assert.equal(await data.hastenMail(id), false)
    },
  )

  test(name('a mail whose time is over is claimed as such, until it is released'), async (t) => {
    const { database, data } = await open(t)
    const order = await addOrder(data, { isHeld: true })
    const { retryUntil, ...mail } = await addMail(data, { orderId: order.id })
    const id = newUuid()
    await data.importMails({ mails: [{ ...mail, id, retryUntil: new Date(0) }] })
    const [claimed, ...others] = await database.claimOverdueMails(60_000, 10)
    assert.deepEqual([claimed?.id, claimed?.attempts, others], [id, 1, []])
    assert.ok(claimed)
    const waits = { state: 'queued', reason: 'held', afterMs: 60_000, isAttempt: false } as const
    await database.recordMail(claimed, waits)
    assert.deepEqual(await database.claimOverdueMails(60_000, 10), [])
    await data.changeOrder(order.id, { isHeld: false })
    assert.deepEqual(await database.claimOverdueMails(60_000, 10), [])
    assert.equal((await database.claimMails(CLAIM)).length, 2)
  })

  test(name('concurrent calls never queue more mails than the limit of a minute'), async (t) => {
    const { data } = await open(t)
    const added = await Promise.all(Array.from({ length: 12 }, () => data.addMail(aMail(), 5)))
    assert.equal(added.filter((one) => one !== 'too_many').length, 5)
    assert.notEqual(await data.addMail(aMail({ cause: 'notice' }), 5), 'too_many')
  })

  test(
    name('an order is created with its mail, which a repeated call does not queue again'),
    async (t) => {
      const { data } = await open(t)
      const facts = { reference: '1', email: 'ada@example.com' }
      const order = await addOrder(data, { ...facts, mail: aMail({ cause: 'order' }) })
      const { sealedToken, createdAt } = order
      const again = { id: newUuid(), source: 'api' as const, assetIds: [], ...facts }
      const repeated = { ...again, sealedToken, tokenHash: 'other', createdAt }
      await data.putOrder({ ...repeated, mail: aMail({ cause: 'order' }) })
      const { rows, total } = await data.listMails({ ...NEXT, orderId: order.id })
      assert.deepEqual([total, rows[0]?.orderId, rows[0]?.cause], [1, order.id, 'order'])
    },
  )

  test(name('lists have the newest mails first, with filters and cursors'), async (t) => {
    const { database, data } = await open(t)
    const ids: string[] = []
    for (const kind of ['files_ready', 'links', 'links'] as const) {
      ids.push((await addMail(data, { kind })).id)
    }
    const { rows, total } = await data.listMails({ ...NEXT, perPage: 2 })
    assert.deepEqual([rows.map(({ id }) => id), total], [[ids[2], ids[1]], 3])
    const rest = await data.listMails({ ...NEXT, after: { id: ids[1] ?? '' } })
    assert.deepEqual(
      rest.rows.map(({ id }) => id),
      [ids[0]],
    )
    assert.equal((await data.listMails({ ...NEXT, kind: 'links' })).total, 2)
    assert.equal((await data.listMails({ ...NEXT, state: 'sent' })).total, 0)
    const other = database.of((await anAccount(database, 'other')).id)
    assert.equal((await other.listMails(NEXT)).total, 0)
    assert.equal(await other.findMail(ids[0] ?? ''), undefined)
  })

  test(name('mails that have ended are forgotten, and waiting ones are kept'), async (t) => {
    const { database, data } = await open(t)
    await addMail(data)
    const [claimed] = await database.claimMails(CLAIM)
    assert.ok(claimed)
    await database.recordMail(claimed, { state: 'cancelled', reason: 'revoked' })
    const waiting = await addMail(data)
    assert.equal(await database.forgetMails(3_600_000, 10), 0)
    assert.equal(await database.forgetMails(-3_600_000, 10), 1)
    const { rows } = await data.listMails(NEXT)
    assert.deepEqual(
      rows.map(({ id }) => id),
      [waiting.id],
    )
  })

  test(
    name('the account with the fewest running attempts is next, however long others wait'),
    async (t) => {
      const { database, data, account } = await open(t)
      const other = database.of((await anAccount(database, 'other')).id)
      for (let count = 0; count < 10; count += 1) await addMail(data)
      const { id } = await addMail(other)
      const one = { ...CLAIM, limit: 1 }
      // Which account is first is a matter of chance; then it is the turn of the other one.
      const claims = [await database.claimMails(one), await database.claimMails(one)].flat()
      assert.ok(claims.some((mail) => mail.id === id))
      const second = await addMail(other)
      const next = await database.claimMails(one)
      assert.ok(next.length === 1)
      const both = [...next, ...(await database.claimMails({ ...CLAIM, limit: 2 }))]
      assert.ok(both.some((mail) => mail.id === second.id))
      // An instance sends at most so many mails of an account at the same time.
      const running = new Map([[account.id, 3]])
      const limited = { ...CLAIM, perAccount: 4, running }
      assert.equal((await database.claimMails(limited)).length, 1)
      const full = { ...CLAIM, perAccount: 3, running }
      assert.deepEqual(await database.claimMails(full), [])
      assert.equal((await database.claimMails(CLAIM)).length, 6)
    },
  )

  test(name('no claim exceeds its limit, and concurrent claims share the mails'), async (t) => {
    const { database, data } = await open(t)
    for (let count = 0; count < 30; count += 1) await addMail(data)
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => database.claimMails({ ...CLAIM, limit: 3 })),
    )
    for (const claimed of claims) assert.ok(claimed.length <= 3, `${claimed.length}`)
    const ids = claims.flat().map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    const rest = await database.claimMails(CLAIM)
    assert.equal(ids.length + rest.length, 30)
    for (const mail of await database.claimMails({ ...CLAIM, limit: 1 })) assert.fail(mail.id)
    for (const mail of [...claims.flat(), ...rest]) await database.recordMail(mail, SENT)
    const forgotten = await Promise.all([1, 2, 3].map(() => database.forgetMails(-3_600_000, 7)))
    for (const count of forgotten) assert.ok(count <= 7, `${count}`)
  })

  for (const [change, end] of [
    ['a release', (data: AccountData, id: string) => data.changeOrder(id, { isHeld: false })],
    ['a revocation', (data: AccountData, id: string) => data.revokeOrder(id)],
  ] as const) {
    test(name(`${change} of a held order makes its mail due`), async (t) => {
      const { database, data } = await open(t)
      const order = await addOrder(data, { isHeld: true })
      await addMail(data, { orderId: order.id })
      const [claimed] = await database.claimMails(CLAIM)
      assert.ok(claimed)
      await database.recordMail(claimed, WAITS)
      assert.deepEqual(await database.claimMails(CLAIM), [])
      await end(data, order.id)
      assert.equal((await database.claimMails(CLAIM)).length, 1)
    })

    test(
      name(`a mail that waits for a held order is due at once after ${change} meanwhile`),
      async (t) => {
        const { database, data } = await open(t)
        const order = await addOrder(data, { isHeld: true })
        await addMail(data, { orderId: order.id })
        const [claimed] = await database.claimMails(CLAIM)
        assert.ok(claimed)
        await end(data, order.id)
        assert.equal(await database.recordMail(claimed, { ...WAITS, isHeld: true }), true)
        const [again] = await database.claimMails(CLAIM)
        assert.ok(again)
        // Another pause is kept.
        assert.equal(await database.recordMail(again, WAITS), true)
        assert.deepEqual(await database.claimMails(CLAIM), [])
      },
    )
  }

  test(name('texts keep the values that a change does not name'), async (t) => {
    const { data } = await open(t)
    assert.equal(await data.findMailSettings(), undefined)
    const texts = { links: { de: { subject: 'Ä “x”', text: '{orders}\n' } } }
    await data.changeMailSettings((before) => {
      assert.deepEqual(before, NO_MAIL_SETTINGS)
      return { ...before, texts }
    })
    await data.changeMailSettings((before) => ({ ...before, replyTo: 'a@b' }))
    assert.deepEqual(await data.findMailSettings(), { replyTo: 'a@b', texts })
  })
}
