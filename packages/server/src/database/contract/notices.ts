import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { NOTICE_CANCELLED } from '../../domain/mail.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { aLink, anAccount, type Contract } from './builders.ts'
import { addMail, aMail, CLAIM, NEXT } from './mails.ts'
import { addOrder } from './orders.ts'

const FUTURE = new Date('2100-01-01')

/** Orders of this asset, each with an address. */
async function addBuyers(data: AccountData, asset: string, addresses: string[]): Promise<void> {
  for (const email of addresses) await addOrder(data, { assetIds: [asset], email })
}

async function addNotice(data: AccountData, assetId: string, recipients = 5) {
  const version = 1
  const notice = { id: newUuid(), assetId, version, ordersBefore: FUTURE, recipients }
  return data.addNotice(notice)
}

/** Continues the notices that are due. Returns the number of queued mails. */
async function step(
  database: Database,
  options: { perStep?: number; pauseMs?: number } = {},
): Promise<number> {
  const toMail = () => {
    const { id, messageId } = aMail()
    return { id, messageId }
  }
  const given = { perStep: 100, ordersPerStep: 2, pauseMs: 0, toMail, ...options }
  let added = 0
  for (const notice of await database.listDueNotices(10)) {
    added += await database.continueNotice(notice, given)
  }
  return added
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
    const again = await addNotice(data, asset, 4)
    assert.deepEqual([again.id, again.state, again.recipients], [id, 'sending', 4])
    while ((await step(database)) > 0);
    assert.equal((await data.findNotice(id))?.queued, 4)
    assert.equal((await data.listMails({ ...NEXT, state: 'cancelled' })).total, 0)
    // That of the first buyer was claimed before.
    assert.equal((await database.claimMails(CLAIM)).length, 4)
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

  test(
    name('a mail that is recorded as cancelled after its notice was started again is queued'),
    async (t) => {
      const { database, data } = await open(t)
      const asset = await aLink(data)
      await addBuyers(data, asset, ['a@x', 'b@x', 'c@x'])
      const { id } = await addNotice(data, asset)
      assert.equal(await step(database, { perStep: 1 }), 1)
      for (const isStarted of [true, false]) {
        const [claimed] = await database.claimMails(CLAIM)
        assert.ok(claimed)
        await data.changeNotice(id, 'cancelled')
        if (isStarted) await addNotice(data, asset)
        await database.recordMail(claimed, { state: 'cancelled', reason: NOTICE_CANCELLED })
        const state = isStarted ? 'queued' : 'cancelled'
        assert.equal((await data.findMail(claimed.id))?.state, state)
      }
    },
  )

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

  test(
    name('a notice whose mails wait neither delays other notices nor is due all the time'),
    async (t) => {
      const { database, data } = await open(t)
      const [blocked, other] = [await aLink(data), await aLink(data)]
      await addBuyers(data, blocked, ['a@x', 'b@x', 'c@x'])
      await addBuyers(data, other, ['d@x'])
      const first = await addNotice(data, blocked)
      for (let count = 0; count < 2; count += 1) {
        assert.equal(await step(database, { perStep: 1 }), 1)
      }
      const second = await addNotice(data, other)
      const toMail = () => aMail()
      const given = { perStep: 1, ordersPerStep: 10, pauseMs: 60_000, toMail }
      const [due] = await database.listDueNotices(1)
      assert.equal(due?.id, first.id)
      assert.equal(await database.continueNotice(due, given), 0)
      const [next, ...rest] = await database.listDueNotices(10)
      assert.deepEqual([next?.id, rest], [second.id, []])
      await database.postponeNotice(second.id, 60_000)
      assert.deepEqual(await database.listDueNotices(10), [])
      await database.claimMails(CLAIM)
      assert.ok(((await database.nextMailIn()) ?? 0) > 50_000)
    },
  )

  test(name('mails of notices are claimed last, and account by account'), async (t) => {
    const { database, data } = await open(t)
    const other = await anAccount(database, 'other')
    for (const [owner, count] of [
      [data, 8],
      [database.of(other.id), 1],
    ] as const) {
      for (let notice = 0; notice < 2; notice += 1) {
        const asset = await aLink(owner)
        const addresses = Array.from({ length: count }, (_, at) => `${at}@x`)
        await addBuyers(owner, asset, addresses)
        await addNotice(owner, asset)
      }
    }
    for (let round = 0; round < 8; round += 1) await step(database)
    const urgent = await addMail(data)
    const [first, ...none] = await database.claimMails({ ...CLAIM, limit: 1 })
    assert.deepEqual([first?.id, none], [urgent.id, []])
    const isOthers = ({ accountId }: { accountId: string }) => accountId === other.id
    const claimed = await database.claimMails({ ...CLAIM, limit: 2 })
    assert.deepEqual([claimed.length, claimed.some(isOthers)], [2, true])
    assert.deepEqual(await database.claimMails({ ...CLAIM, newsLimit: 0 }), [])
    const rest = await database.claimMails(CLAIM)
    assert.equal(claimed.length + rest.length, 18)
    assert.equal([...claimed, ...rest].filter(isOthers).length, 2)
  })

  test(name('a mail of a notice that is sent again is another mail of it'), async (t) => {
    const { database, data } = await open(t)
    const asset = await aLink(data)
    await addBuyers(data, asset, ['a@x', 'b@x', 'c@x'])
    const { id } = await addNotice(data, asset)
    await step(database, { perStep: 1 })
    const { rows } = await data.listMails({ ...NEXT, noticeId: id })
    const again = { noticeId: id, recipient: 'a@x', kind: 'new_version' } as const
    for (let count = 0; count < 2; count += 1) await addMail(data, again)
    // It was asked for, so a pause of the notice does not stop it.
    await data.changeNotice(id, 'paused')
    assert.deepEqual([rows.length, (await database.claimMails(CLAIM)).length], [1, 2])
    assert.equal((await data.listMails({ ...NEXT, noticeId: id })).total, 3)
  })

  test(name('the buyers of a file are listed in slices'), async (t) => {
    const { data } = await open(t)
    const asset = await aLink(data)
    await addBuyers(data, asset, ['a@x', 'B@x', 'c@x'])
    await data.unsubscribe('b@X')
    const found: [string, boolean][] = []
    const query = { assetId: asset, before: FUTURE, limit: 2 }
    for (let after: string | undefined; ; ) {
      const { recipients, next } = await data.listNoticeRecipients({ ...query, after })
      for (const { address, isUnsubscribed } of recipients) found.push([address, isUnsubscribed])
      if (next === undefined) break
      after = next
    }
    assert.deepEqual(found, [
      ['a@x', false],
      ['b@x', true],
      ['c@x', false],
    ])
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
    name('a request for lost links that fails lets others pass, and is dropped when it is old'),
    async (t) => {
      const { database } = await open(t)
      for (const address of ['a@x', 'b@x']) {
        await database.addLinkRequest({ address, locale: null }, 10)
      }
      const addresses = async () =>
        (await database.listLinkRequests(10)).map(({ address }) => address)
      await database.postponeLinkRequest('a@x', 60_000, 3_600_000)
      assert.deepEqual(await addresses(), ['b@x'])
      await database.postponeLinkRequest('b@x', 60_000, 3_600_000)
      assert.deepEqual(await addresses(), [])
      assert.ok(((await database.nextMailIn()) ?? 0) > 50_000)
      // Not 0: a column of PostgreSQL rounds the time that it stores, perhaps to the next millisecond.
      await database.postponeLinkRequest('a@x', -1, 3_600_000)
      assert.deepEqual(await addresses(), ['a@x'])
      for (const address of ['a@x', 'b@x']) await database.postponeLinkRequest(address, 0, -1000)
      assert.equal(await database.nextMailIn(), undefined)
    },
  )

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
