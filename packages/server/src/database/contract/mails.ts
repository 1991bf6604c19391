import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { type Mail, type NewMail, NO_MAIL_SETTINGS } from '../../domain/mail.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { aLink, anAccount, type Contract } from './builders.ts'
import { addOrder } from './orders.ts'

function aMail(facts: Partial<NewMail> = {}): NewMail {
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

async function addMail(data: AccountData, facts: Partial<NewMail> = {}): Promise<Mail> {
  const added = await data.addMail(aMail(facts), 1000)
  assert.ok(added !== 'too_many')
  return added
}

const CLAIM = { leaseMs: 60_000, limit: 100 }
const NEXT = { page: 1, perPage: 10 }
const FUTURE = new Date('2100-01-01')
const SENT = { state: 'sent', reason: null } as const

/** Orders of this asset, each with an address. */
async function addBuyers(data: AccountData, asset: string, addresses: string[]): Promise<void> {
  for (const email of addresses) await addOrder(data, { assetIds: [asset], email })
}

async function addNotice(data: AccountData, assetId: string, version = 1) {
  const recipients = 5
  const notice = { id: newUuid(), assetId, version, ordersBefore: FUTURE, recipients }
  return data.addNotice(notice)
}

function step(database: Database, options: { perStep?: number; pauseMs?: number } = {}) {
  const toMail = () => {
    const { id, messageId } = aMail()
    return { id, messageId }
  }
  return database.continueNotices({
    limit: 10,
    perStep: 100,
    ordersPerStep: 2,
    pauseMs: 0,
    toMail,
    ...options,
  })
}

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
      const [first] = await database.claimMails({ leaseMs: 0, limit: 1 })
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
      assert.equal((await database.readMailBacklog()).waiting, 1)
      assert.equal(await data.hastenMail(id), true)
      assert.equal((await database.claimMails(CLAIM)).length, 1)
      assert.equal(await data.hastenMail(id), false)
    },
  )

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

  test(name('a release of a held order makes its mail due'), async (t) => {
    const { database, data } = await open(t)
    const order = await addOrder(data, { isHeld: true })
    await addMail(data, { orderId: order.id })
    const [claimed] = await database.claimMails(CLAIM)
    assert.ok(claimed)
    const later = { state: 'queued', reason: 'held', afterMs: 900_000, isAttempt: false } as const
    await database.recordMail(claimed, later)
    assert.deepEqual(await database.claimMails(CLAIM), [])
    await data.changeOrder(order.id, { isHeld: false })
    assert.equal((await database.claimMails(CLAIM)).length, 1)
  })

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

export function testNotices({ name, open }: Contract): void {
  test(
    name(
      'each buyer gets one mail of a notice, however many orders and concurrent steps there are',
    ),
    async (t) => {
      const { database, data } = await open(t)
      const asset = await aLink(data)
      const other = await aLink(data)
      await addBuyers(data, asset, ['a@x', 'b@x', 'A@x', 'c@x', 'd@x'])
      await addBuyers(data, other, ['e@x'])
      await addOrder(data, { assetIds: [asset], email: 'f@x', isHeld: true })
      await addOrder(data, { assetIds: [asset] })
      await data.unsubscribe('B@x')
      const notice = await addNotice(data, asset)
      assert.deepEqual([notice.state, notice.recipients, notice.queued], ['sending', 5, 0])
      let added = 0
      for (let round = 0; round < 10; round += 1) {
        const steps = await Promise.all([1, 2, 3].map(() => step(database)))
        for (const one of steps) added += one
      }
      assert.equal(added, 3)
      const { rows } = await data.listMails({ ...NEXT, noticeId: notice.id })
      assert.deepEqual(rows.map(({ recipient }) => recipient).toSorted(), ['a@x', 'c@x', 'd@x'])
      assert.deepEqual(
        rows.map(({ kind, assetId }) => [kind, assetId]),
        Array(3).fill(['new_version', asset]),
      )
      const done = await data.findNotice(notice.id)
      assert.deepEqual([done?.state, done?.queued], ['done', 3])
      assert.equal((await addNotice(data, asset)).id, notice.id)
      assert.equal(await step(database), 0)
    },
  )

  test(name('a notice is paused, resumed, cancelled and continued'), async (t) => {
    const { database, data } = await open(t)
    const asset = await aLink(data)
    await addBuyers(data, asset, ['a@x', 'b@x', 'c@x', 'd@x'])
    const { id } = await addNotice(data, asset)
    assert.equal(await step(database, { perStep: 1 }), 1)
    assert.equal((await data.changeNotice(id, 'paused'))?.state, 'paused')
    assert.equal((await data.changeNotice(id, 'paused'))?.state, 'paused')
    assert.equal(await step(database), 0)
    assert.deepEqual(await database.claimMails(CLAIM), [])
    assert.equal(await database.nextMailIn(), undefined)
    assert.equal((await data.changeNotice(id, 'sending'))?.state, 'sending')
    assert.equal((await database.claimMails({ ...CLAIM, leaseMs: 0 })).length, 1)
    assert.equal(await step(database, { perStep: 1 }), 1)
    assert.equal((await data.changeNotice(id, 'cancelled'))?.state, 'cancelled')
    assert.equal((await data.changeNotice(id, 'sending'))?.state, 'cancelled')
    const { rows } = await data.listMails({ ...NEXT, state: 'cancelled' })
    assert.equal(rows.length, 1)
    assert.equal((await addNotice(data, asset)).state, 'sending')
    while ((await step(database)) > 0);
    const all = await data.listMails({ ...NEXT, noticeId: id })
    assert.deepEqual(all.rows.map(({ recipient }) => recipient).toSorted(), [
      'a@x',
      'b@x',
      'c@x',
      'd@x',
    ])
    const listed = await data.listNotices(asset)
    assert.deepEqual(
      listed.map((one) => one.id),
      [id],
    )
    assert.equal(await data.changeNotice(newUuid(), 'paused'), undefined)
  })

  test(name('a step waits for its pause, and while many mails of the notice wait'), async (t) => {
    const { database, data } = await open(t)
    const asset = await aLink(data)
    await addBuyers(data, asset, ['a@x', 'b@x', 'c@x', 'd@x', 'e@x'])
    await addNotice(data, asset)
    assert.equal(await step(database, { perStep: 1 }), 1)
    assert.equal(await step(database, { perStep: 1 }), 1)
    assert.equal(await step(database, { perStep: 1 }), 0)
    await database.claimMails(CLAIM)
    assert.equal(await step(database, { perStep: 2, pauseMs: 60_000 }), 2)
    assert.equal(await step(database, { perStep: 100 }), 0)
  })

  test(name('the buyers of a file are listed in slices'), async (t) => {
    const { data } = await open(t)
    const asset = await aLink(data)
    await addBuyers(data, asset, ['a@x', 'B@x', 'c@x'])
    const found: string[] = []
    const query = { assetId: asset, before: FUTURE, limit: 2 }
    for (let after: string | undefined; ; ) {
      const { recipients, next } = await data.listNoticeRecipients({ ...query, after })
      found.push(...recipients.map(({ address }) => address))
      if (next === undefined) break
      after = next
    }
    assert.deepEqual(found, ['a@x', 'b@x', 'c@x'])
    const past = { ...query, before: new Date(0), after: undefined }
    assert.deepEqual((await data.listNoticeRecipients(past)).recipients, [])
  })

  test(name('requests for lost links are answered once, and not again for a while'), async (t) => {
    const { database, data, account } = await open(t)
    await addOrder(data, { email: 'Ada@Example.com' })
    const request = { address: 'ADA@example.com', locale: 'fr' }
    for (let round = 0; round < 2; round += 1) {
      await Promise.all([1, 2, 3].map(() => database.addLinkRequest(request, 10)))
      assert.ok(((await database.nextMailIn()) ?? 1) <= 0)
      const [found, ...others] = await database.listLinkRequests(10)
      assert.deepEqual([found, others], [{ address: 'ada@example.com', locale: 'fr' }, []])
      const accounts = await database.listAccountsOfAddress('ada@example.com', 10)
      assert.deepEqual(accounts, [account.id])
      const facts = { kind: 'links', cause: 'find' } as const
      const answers = () => [{ ...aMail(facts), accountId: account.id }]
      await Promise.all(
        [1, 2].map(() => database.answerLinkRequest('ada@example.com', answers(), 60_000)),
      )
      assert.deepEqual(await database.listLinkRequests(10), [])
      assert.equal((await data.listMails({ ...NEXT, kind: 'links' })).total, 1)
    }
    assert.equal((await data.listOrdersOfAddress('aDA@example.com', 10)).length, 1)
    assert.deepEqual(await database.listAccountsOfAddress('b@example.com', 10), [])
    await database.addLinkRequest({ address: 'b@x', locale: null }, 0)
    assert.deepEqual(await database.listLinkRequests(10), [])
  })

  test(
    name('a request for more downloads is noted once, until the limit is changed'),
    async (t) => {
      const { data } = await open(t)
      const asset = await aLink(data)
      const { id } = await addOrder(data, { assetIds: [asset], maxDownloads: 1 })
      const noted = await Promise.all([1, 2, 3].map(() => data.requestMore(id, asset)))
      assert.equal(noted.filter((isNew) => isNew).length, 1)
      assert.equal((await data.findOrder({ id, reference: id }))?.more?.assetId, asset)
      await data.changeOrder(id, { maxDownloads: 2 })
      assert.equal((await data.findOrder({ id, reference: id }))?.more, null)
      assert.equal(await data.requestMore(id, asset), true)
      const { events } = await data.listEvents({ after: 0, limit: 100 })
      assert.equal(events.filter(({ type }) => type === 'order.more_requested').length, 2)
    },
  )

  test(
    name(
      'mails, notices, texts and unsubscribed addresses are imported, and a repeated import changes nothing',
    ),
    async (t) => {
      const { database, account, data } = await open(t)
      const asset = await aLink(data)
      const notice = await addNotice(data, asset)
      const order = await addOrder(data, { assetIds: [asset], email: 'a@x' })
      const mail = await addMail(data, { noticeId: notice.id, orderId: order.id })
      const copy = await anAccount(database, 'copy')
      const target = database.of(copy.id)
      const ids = { id: newUuid(), noticeId: null, orderId: null }
      const mails = (await database.listMailRecords(account.id, undefined, 10)).map((one) => ({
        ...one,
        ...ids,
      }))
      const notices = await database.listNoticeRecords(account.id)
      const records = notices.map((one) => ({ ...one, id: newUuid() }))
      const settings = { replyTo: 'a@b', texts: {} }
      for (let round = 0; round < 2; round += 1) {
        await target.importMails({
          mails,
          notices: records,
          settings,
          unsubscribed: ['u@x', 'v@x'],
        })
      }
      const imported = await target.findMail(ids.id)
      assert.deepEqual(imported, { ...mail, ...ids, accountId: copy.id })
      const found = await database.listNoticeRecords(copy.id)
      assert.deepEqual(
        found.map(({ id, accountId, ...facts }) => facts),
        notices.map(({ id, accountId, ...facts }) => facts),
      )
      assert.deepEqual(await target.findMailSettings(), settings)
      assert.deepEqual(await database.listUnsubscribed(copy.id, 'u@x', 10), ['v@x'])
      assert.equal(await target.isUnsubscribed('V@x'), true)
      await target.subscribe('v@x')
      assert.equal(await target.isUnsubscribed('v@x'), false)
    },
  )
}
