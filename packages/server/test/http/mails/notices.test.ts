import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { BUYER, listMails, MAILS, mailThatIs, mailWhen, replaceFile } from '../../support/mails.ts'
import { anOrder, aSoldFile } from '../../support/orders.ts'

/* Runs on sqlite+disk and postgres+disk. */

const LATER = { code: 450, text: 'Later' }

/** A file with an order and a new version. */
async function aReplacedFile(service: TestService): Promise<string> {
  const { file } = await aSoldFile(service)
  await anOrder(service, BUYER)
  await replaceFile(service, file.id, 'better')
  return file.id
}

async function notify({ call }: TestService, assetId: string) {
  const { status, body } = await call('POST', `${API}/assets/${assetId}/notify`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.notice
}

test('a notice never speaks of a version that replaced its own', async (t) => {
  const server = await aMailServer(t, { refuse: () => LATER })
  const service = await aService(t, mailSettings(server))
  const file = await aReplacedFile(service)
  const notice = await notify(service, file)
  const waiting = await mailWhen(service, 'an attempt has failed', ({ state, attempts }) => {
    return state === 'queued' && attempts === 1
  })
  await replaceFile(service, file, 'best')
  server.rules.refuse = () => undefined
  for (let round = 0; round < 2; round += 1) {
    // First the waiting mail itself, then a copy of it.
    await service.call('POST', `${MAILS}/${waiting.id}/send`)
    await until('no mail waits', async () => {
      return (await listMails(service)).every(({ state }) => state === 'cancelled')
    })
    const mails = await listMails(service, `?notice=${notice.id}`)
    assert.equal(mails.length, 1 + round)
    for (const { reason } of mails) assert.match(reason ?? '', /version 2, which has been replaced/)
  }
  assert.equal(server.mails.length, 0)
  const next = await notify(service, file)
  assert.equal(next.version, 3)
  await mailThatIs(service, 'sent')
  assert.equal(server.mails.length, 1)
})

test('a notice that was cancelled reaches all buyers, each once, when it is started again', async (t) => {
  const server = await aMailServer(t, { refuse: () => LATER })
  const service = await aService(t, mailSettings(server))
  const { file } = await aSoldFile(service)
  // More than one step of the notice queues.
  const buyers = Array.from({ length: 7 }, (_, at) => `buyer${at}@example.com`)
  for (const email of buyers) await anOrder(service, { email })
  await replaceFile(service, file.id, 'better')
  const { id } = await notify(service, file.id)
  await until('attempts have failed', async () => {
    const mails = await listMails(service)
    return (
      mails.length >= 5 &&
      mails.every(({ state, attempts }) => state === 'queued' && attempts === 1)
    )
  })
  const cancelled = await service.call('PATCH', `${API}/notices/${id}`, { state: 'cancelled' })
  assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body))
  server.rules.refuse = () => undefined
  for (const mail of await listMails(service)) assert.equal(mail.state, 'cancelled')
  assert.equal((await notify(service, file.id)).id, id)
  await until('all mails have arrived', () => server.mails.length >= 7)
  assert.deepEqual(server.mails.flatMap(({ to }) => to).toSorted(), buyers)
})

test('a request for lost links or a notice that fails delays no other mail, and is reported', async (t) => {
  const server = await aMailServer(t)
  let badNotice = ''
  const settings = { ...mailSettings(server), STOWAGE_MAIL_RATE: '6000' }
  const service = await aService(t, settings, undefined, {
    wrap: ({ database }) => ({
      database: {
        ...database,
        async listAccountsOfAddress(address, limit) {
          if (address.startsWith('bad')) throw new Error('broken')
          return database.listAccountsOfAddress(address, limit)
        },
        async continueNotice(notice, step) {
          if (notice.assetId === badNotice) throw new Error('broken')
          return database.continueNotice(notice, step)
        },
      },
    }),
  })
  const find = (email: string) =>
    fetch(`${service.baseUrl}/find`, { method: 'POST', body: new URLSearchParams({ email }) })
  const file = await aReplacedFile(service)
  const { id: other } = (
    await service.call('POST', `${API}/assets/store`, {
      filename: 'x',
      url: 'https://example.com/x',
    })
  ).body.data
  badNotice = other
  for (let count = 0; count < 3; count += 1) await find(`bad${count}@example.com`)
  await notify(service, other)
  await notify(service, file)
  await find(BUYER.email)
  await until('the news and the links have arrived', () => server.mails.length === 2)
  await until('the failures are reported', async () => {
    const { body } = await service.call('GET', '/readyz')
    return /background jobs fail: .*answerLinkRequests/.test(body.degraded?.[0] ?? '')
  })
})
