import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Mail, Notice } from '@stowage/protocol'
import { ENGINES } from '@stowage/testing/engines/test-engines'
import { freePort } from '@stowage/testing/machine/ports'
import { aRandom, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aDeployment, callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API, complete, putParts, uploadFile } from '@stowage/testing/service/upload'
import { commandOf, saveResult } from '../reliability/result.ts'
import { endLeases } from './end-leases.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Tell more buyers, kill more often, or repeat a run:
 *
 *     NOTICE_BUYERS=10000 NOTICE_KILLS=20 TEST_TIMEOUT_MS=3600000 npx node --test packages/proofs/src/mail/notices.test.ts
 *     MAIL_SEED=123 npx node --test packages/proofs/src/mail/notices.test.ts
 */
const BUYERS = Number(process.env.NOTICE_BUYERS ?? 300)
const KILLS = Number(process.env.NOTICE_KILLS ?? 3)
/** How often a notice queues mails, and how many of them at a time: the notice takes about 15 steps, apart from kills. */
const STEP_MS = 5_000
const PER_STEP = Math.max(100, Math.ceil(BUYERS / 15))
const CALLERS = 8
/** How many mails of notices an instance sends at the same time. */
const MAX_RUNNING = 3

test(`${BUYERS} buyers are told of a new version once, at the rate of the settings, through a pause and ${KILLS} kills`, async (t) => {
  const seed = seedOf('MAIL_SEED')
  t.diagnostic(`MAIL_SEED=${seed} repeats the random choices`)
  const random = aRandom(seed)
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const arrivals: { messageId: string; recipient: string; isNews: boolean; at: number }[] = []
  const server = await aMailServer(t, {
    async onMessage(mail) {
      const [messageId = '', recipient = ''] = [mail.header('Message-ID'), mail.to[0]]
      const isNews = mail.header('List-Unsubscribe') !== undefined
      arrivals.push({ messageId, recipient, isNews, at: performance.now() })
      // So that a kill meets mails that the server has, but whose results are not recorded.
      await pause(random.between(0, 25))
      return undefined
    },
  })
  const settings = {
    ...mailSettings(server),
    STOWAGE_PORT: String(await freePort()),
    STOWAGE_MAIL_RATE: String((PER_STEP * 60_000) / STEP_MS),
    STOWAGE_LOG: 'warn',
  }
  const start = () => aServiceProcess(t, settings, deployment)
  let service = await start()
  const call = (method: string, path: string, body?: object) =>
    callJson(service.baseUrl + API + path, { method, body })
  const news = () => arrivals.filter(({ isNews }) => isNews)

  const { id: file } = await uploadFile(service.baseUrl, { bytes: Buffer.from('first') })
  const buyers = Array.from({ length: BUYERS }, (_, at) => `buyer${at}@example.com`)
  // Every tenth buyer has a second order, with an address in upper case.
  const orders = buyers.flatMap((email, at) => (at % 10 ? [email] : [email, email.toUpperCase()]))
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (let email = orders.pop(); email !== undefined; email = orders.pop()) {
        const { status } = await call('POST', '/orders', { email, assets: [file] })
        assert.equal(status, 201)
      }
    }),
  )
  const bytes = Buffer.from('second')
  const session = (await call('POST', `/assets/${file}/signed`, { size: bytes.length })).body
  const parts = await putParts(session, bytes)
  assert.equal((await complete(service.baseUrl, session, parts)).status, 200)

  const trial = await call('POST', `/assets/${file}/notify`, { dry_run: true })
  assert.equal(trial.body.data.recipients, BUYERS)
  const begin = performance.now()
  const started = await call('POST', `/assets/${file}/notify`)
  const { id } = started.body.data.notice as Notice
  const hasArrived = (count: number) =>
    until(`${count} mails have arrived`, () => news().length >= count, 300_000)

  await hasArrived(Math.floor(BUYERS / 4))
  await call('PATCH', `/notices/${id}`, { state: 'paused' })
  const paused = news().length
  await until('no mail of the notice is being sent', async () => {
    const { body } = await call('GET', `/mails?notice=${id}&state=sending`)
    return (body.data as Mail[]).length === 0
  })
  const before = news().length
  // Only attempts that were running.
  assert.ok(before <= paused + MAX_RUNNING, `${before - paused} mails after the pause`)
  const email = 'other@example.com'
  const other = await call('POST', '/orders', { email, assets: [file], notify: true })
  assert.equal(other.status, 201)
  await until('another mail has arrived', () => server.to('other@example.com').length === 1)
  // Longer than a step.
  await pause(STEP_MS + 500)
  assert.equal(news().length, before)
  assert.ok(before < BUYERS)
  await call('PATCH', `/notices/${id}`, { state: 'sending' })

  const unrecorded = new Set<string>()
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const goal = before + ((BUYERS - before) * kill) / (KILLS + 1)
    await hasArrived(Math.floor(goal))
    await pause(random.between(0, 10))
    await service.stop('SIGKILL')
    for (const messageId of await endLeases(deployment)) unrecorded.add(messageId)
    service = await start()
  }
  await until(
    'the notice is done',
    async () => {
      const [notice] = (await call('GET', `/assets/${file}/notices`)).body.data as Notice[]
      const waiting = await Promise.all(
        ['queued', 'sending'].map((state) => call('GET', `/mails?notice=${id}&state=${state}`)),
      )
      const isEmpty = waiting.every(({ body }) => body.data.length === 0)
      return notice?.state === 'done' && notice.queued === BUYERS && isEmpty
    },
    300_000,
  )
  await service.stop('SIGTERM')

  const byRecipient = Map.groupBy(news(), ({ recipient }) => recipient)
  assert.deepEqual([...byRecipient.keys()].toSorted(), buyers.toSorted())
  let repeated = 0
  for (const [recipient, list] of byRecipient) {
    const ids = new Set(list.map(({ messageId }) => messageId))
    assert.equal(ids.size, 1, recipient)
    repeated += list.length - 1
    if (list.length > 1) assert.ok(unrecorded.isSupersetOf(ids), `${recipient} was told again`)
  }
  const first = [...byRecipient.values()].map(([{ at } = { at: 0 }]) => at).sort((a, b) => a - b)
  for (const [index, at] of first.entries()) {
    const earliest = Math.floor(index / PER_STEP) * STEP_MS
    const elapsed = at - begin
    assert.ok(elapsed > earliest - 100, `mail ${index} came after ${elapsed} ms`)
  }
  const seconds = (((first.at(-1) ?? 0) - begin) / 1000).toFixed(1)
  t.diagnostic(
    `${BUYERS} buyers in ${seconds} s; ${unrecorded.size} mails without a result at ${KILLS} kills, ${repeated} of them repeated`,
  )
  await saveResult(`mail-notices-${ENGINES}`, {
    command: commandOf(import.meta.filename, {
      NOTICE_BUYERS: BUYERS,
      NOTICE_KILLS: KILLS,
      MAIL_SEED: seed,
    }),
    rows: {
      'Buyers of the file': BUYERS.toLocaleString('en'),
      'Kills of the service': String(KILLS),
      'Buyers who were not told, or told with two different messages': '0',
      'Mails without a recorded result at a kill': String(unrecorded.size),
      'of these, repeated with the same Message-ID': String(repeated),
      'Other repeated mails': '0',
    },
  })
})
