import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Mail, Notice, Order } from '@stowage/protocol'
import { parseSmtpUrl } from '@stowage/server/src/config/mail'
import { openSmtp } from '@stowage/server/src/mail/smtp'
import type { Context } from '@stowage/server/src/operations/context'
import { attemptMail } from '@stowage/server/src/operations/mails'
import { continueNotices } from '@stowage/server/src/operations/notices'
import { unsubscribe } from '@stowage/server/src/operations/subscriptions'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aMailServer, type TestMailServer } from '@stowage/testing/service/mail-server'
import { aDeployment } from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'
import { type Harness, type OnPoint, openHarness, watchPorts } from '../interleavings/harness.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { aSample } from '../sample.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Run all pairs, or those of some calls:
 *
 *     POINTS=all npx node --test packages/proofs/src/mail/interleavings.test.ts
 *     POINTS=all POINTS_CALLS='^send' npx node --test packages/proofs/src/mail/interleavings.test.ts
 */
const { POINTS, POINTS_CALLS = '', TEST_TIMEOUT_MS } = process.env
const SHARE = POINTS === 'all' ? 1 : isOnS3 ? 0.01 : 0.03
/** Longer than a test. */
const LEASE_MS = 600_000
/** Every step of a notice queues one mail. The next step is due after 5 seconds, or when the notice is resumed. */
const NOTICES_PER_MINUTE = 12

/** Ada and Bob have bought a file that was replaced. The order of Cid is held. Ada and Cid are told of their orders. */
interface Shop {
  harness: Harness
  server: TestMailServer
  /** Shops of one account with different numbers are independent. */
  number: number
  file: string
  orders: Record<Buyer, Order>
  /** The calls that were refused, and why. */
  refusals: string[]
  /** Mails that a call has queued in addition. */
  copies: Set<string>
}

const BUYERS = ['ada', 'bob', 'cid'] as const
type Buyer = (typeof BUYERS)[number]

/** What a client or a job does, with the ports of the context. */
type Call = (shop: Shop, context: Context, options?: { leaseMs: number }) => Promise<void>

const send: Call = async (_shop, context, { leaseMs } = { leaseMs: LEASE_MS }) => {
  for (const mail of await claim(context, leaseMs)) {
    await attemptMail(context, mail, { pauseMs: 1 })
  }
}

function claim({ database }: Context, leaseMs: number) {
  const all = { limit: 100, newsLimit: 100, perAccount: 100, running: new Map() }
  return database.claimMails({ ...all, leaseMs })
}

const continueNotice: Call = (_shop, context) =>
  continueNotices(context, (text, error) => assert.fail(`${text}: ${error}`))

const notify: Call = (shop) => change(shop, 'POST', `${API}/assets/${shop.file}/notify`)

function setNotice(state: 'paused' | 'sending' | 'cancelled'): Call {
  return async (shop) => {
    const [notice] = await noticesOf(shop)
    if (notice) await change(shop, 'PATCH', `${API}/notices/${notice.id}`, { state })
  }
}
const pause = setNotice('paused')
const resume = setNotice('sending')
const cancel = setNotice('cancelled')

function hold(buyer: Buyer, held: boolean): Call {
  return (shop) => change(shop, 'PATCH', `${API}/orders/${shop.orders[buyer].id}`, { held })
}

const revoke: Call = (shop) => change(shop, 'DELETE', `${API}/orders/${shop.orders.ada.id}`)

const leave: Call = (shop, context) => {
  const { id: accountId } = shop.harness.account
  return unsubscribe(context, { accountId, address: emailOf(shop, 'bob') })
}

const sendAgain: Call = async (shop) => {
  const [mail] = (await mailsOf(shop, 'ada')).toReversed()
  if (mail === undefined) return
  const { status, body } = await callOf(shop, 'POST', `${API}/mails/${mail.id}/send`)
  if (status !== 200) shop.refusals.push(body.code)
  else if (body.data.id !== mail.id) shop.copies.add(body.data.id)
}

const replace: Call = async (shop) => {
  const bytes = someBytes(5)
  const path = `${API}/assets/${shop.file}`
  const { body } = await callOf(shop, 'POST', `${path}/signed`, { size: bytes.length })
  await fetch(body.urls[0].url, { method: 'PUT', body: new Uint8Array(bytes) })
  await change(shop, 'POST', `${path}/uploaded`, { upload_id: body.upload_id })
}

function inSequence(...calls: Call[]): Call {
  return async (shop, context, options) => {
    for (const call of calls) await call(shop, context, options)
  }
}

/** Claims mails, whose attempts begin later. */
const claimed = new WeakMap<Shop, Mails>()
type Mails = Awaited<ReturnType<typeof claim>>
const claimOnly: Call = async (shop, context) => {
  claimed.set(shop, await claim(context, LEASE_MS))
}
const sendClaimed: Call = async (shop, context) => {
  for (const mail of claimed.get(shop) ?? []) await attemptMail(context, mail, { pauseMs: 1 })
}

const told = inSequence(notify, continueNotice)
/** The calls that are paused, and those that create the state in which they start. */
const PAUSED: Record<string, { before: Call; call: Call }> = {
  'send the mails': { before: told, call: send },
  'send mails that were claimed before the notice was cancelled': {
    before: inSequence(told, claimOnly, cancel),
    call: sendClaimed,
  },
  'continue the notice': { before: notify, call: continueNotice },
  'start the notice': { before: async () => {}, call: notify },
  'start it again': { before: inSequence(told, cancel), call: notify },
  'pause it': { before: told, call: pause },
  'resume it': { before: inSequence(told, pause), call: resume },
  'cancel it': { before: told, call: cancel },
  'send a queued mail again': { before: async () => {}, call: sendAgain },
  'send a sent mail again': { before: send, call: sendAgain },
  'hold an order': { before: told, call: hold('ada', true) },
  'release an order': { before: told, call: hold('cid', false) },
  'revoke an order': { before: told, call: revoke },
  unsubscribe: { before: told, call: leave },
}

/** What another client or instance does meanwhile. */
const OTHERS: Record<string, Call> = {
  send,
  'continue the notice, send': inSequence(continueNotice, send),
  'start the notice': notify,
  'start the notice, send': inSequence(notify, continueNotice, send),
  'pause it': pause,
  'pause it, send': inSequence(pause, continueNotice, send),
  'pause and resume it, send': inSequence(pause, resume, continueNotice, send),
  'cancel it': cancel,
  'cancel it, send': inSequence(cancel, continueNotice, send),
  'cancel it, start it again': inSequence(cancel, notify),
  'send a mail again': sendAgain,
  'send a mail again, send': inSequence(sendAgain, send),
  'hold and release an order': inSequence(hold('ada', true), hold('ada', false)),
  'hold an order, send': inSequence(hold('ada', true), send),
  'release an order': hold('cid', false),
  'release an order, send': inSequence(hold('cid', false), send),
  'revoke an order': revoke,
  'revoke an order, send': inSequence(revoke, send),
  unsubscribe: leave,
  'replace the file': replace,
}

/**
 * - `paused`: the call continues after the others
 * - `overtaken`: so it does, but the leases of its claims have ended meanwhile
 * - `killed`: it never continues, and the leases of its claims end
 */
const MODES = ['paused', 'overtaken', 'killed'] as const
type Mode = (typeof MODES)[number]

test('while a call about mails is paused or killed at any step, others run: every buyer gets each mail, and no mail is sent twice or after it was stopped', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const harness = await openHarness(deployment.settings)
  cleanUp(t, () => harness.close())
  const server = await aMailServer(t)
  const smtp = parseSmtpUrl(server.url)
  assert.ok(smtp)
  const { mail } = harness.context
  Object.assign(mail, {
    mode: 'smtp',
    server: openSmtp(smtp),
    noticesPerMinute: NOTICES_PER_MINUTE,
  })
  cleanUp(t, () => mail.server?.close())
  const rows = await tryAll(t, (options) => tryPoint(harness, server, options))
  await harness.checkEvents()
  await saveResult(`mail-interleavings-${ENGINES}`, {
    command: commandOf(import.meta.filename, { POINTS, TEST_TIMEOUT_MS }),
    rows,
  })
})

interface Try {
  paused: { before: Call; call: Call }
  /** Infinite: the call is not paused. */
  point: number
  mode: Mode
  other: Call
}

/** Returns what was tried with each call. */
async function tryAll(
  t: TestContext,
  run: (options: Try) => Promise<number>,
): Promise<Record<string, string>> {
  const isChosen = aSample(t, SHARE)
  const failures: string[] = []
  const rows: Record<string, string> = {}
  let tries = 0
  for (const [name, paused] of Object.entries(PAUSED)) {
    if (!new RegExp(POINTS_CALLS).test(name)) continue
    const first = { paused, point: Number.POSITIVE_INFINITY, mode: 'paused', other: send } as const
    const points = await run(first)
    assert.ok(points > 1, `${name} has ${points} points`)
    // Only the job has leases.
    const modes = paused.call === send ? MODES : (['paused'] as const)
    const others = `${points} points × ${Object.keys(OTHERS).length} other calls`
    rows[`\`${name}\` ${modes.join(', ')}`] = others
    for (let point = 0; point < points; point += 1) {
      for (const mode of modes) {
        for (const [otherName, other] of Object.entries(OTHERS)) {
          if (!isChosen()) continue
          tries += 1
          await run({ paused, point, mode, other }).catch((error) =>
            failures.push(`${name}, ${mode} at ${point} × ${otherName}: ${error.message}`),
          )
        }
      }
    }
  }
  t.diagnostic(`${tries} pairs`)
  assert.equal(failures.length, 0, `${failures.length}: ${failures.slice(0, 5).join('\n\n')}`)
  return { 'Pairs that were tried, all without a failure': tries.toLocaleString('en'), ...rows }
}

let shops = 0

/** Runs the others while the call is paused at this point. Returns the number of its points. */
async function tryPoint(
  harness: Harness,
  server: TestMailServer,
  { paused, point, mode, other }: Try,
): Promise<number> {
  const shop = await openShop(harness, server)
  const { context } = harness
  await paused.before(shop, context)
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  let points = 0
  const onPoint: OnPoint = async () => {
    points += 1
    if (points - 1 !== point) return
    reached.resolve()
    await resumed.promise
  }
  const leaseMs = mode === 'paused' ? LEASE_MS : 0
  const running = harness.runWithPoints(onPoint, () =>
    paused.call(shop, watchMail(watchPorts(context, onPoint), onPoint), { leaseMs }),
  )
  await Promise.race([reached.promise, running])
  // Mails of killed calls are claimed again here.
  await other(shop, context)
  // An attempt whose lease has ended had begun before.
  const stopped = mode === 'paused' ? await stoppedMails(shop) : []
  if (mode !== 'killed') {
    resumed.resolve()
    await running
  }
  for (const { mail, received } of stopped) {
    assert.equal(receivedOf(shop, mail), received, `sent after it was stopped: ${show(mail)}`)
  }
  await finish(shop)
  await check(shop, mode)
  return points
}

/** A point after the mail server has the message: the result is not recorded yet. */
function watchMail(context: Context, onPoint: OnPoint): Context {
  const { server } = context.mail
  assert.ok(server)
  const watched = {
    ...server,
    async send(message: Parameters<typeof server.send>[0]) {
      const result = await server.send(message)
      await onPoint('after mail.send')
      return result
    },
  }
  return { ...context, mail: { ...context.mail, server: watched } }
}

async function openShop(harness: Harness, server: TestMailServer): Promise<Shop> {
  shops += 1
  // Those of earlier shops are checked: searching all of them would take longer with each pair.
  server.mails.length = 0
  const orders = {} as Shop['orders']
  const shop: Shop = {
    ...{ harness, server, number: shops, file: '', orders },
    ...{ refusals: [], copies: new Set() },
  }
  const bytes = someBytes(5)
  const { body } = await callOf(shop, 'POST', `${API}/assets/signed`, { name: 'a', size: 5 })
  await fetch(body.urls[0].url, { method: 'PUT', body: new Uint8Array(bytes) })
  await change(shop, 'POST', `${API}/assets/${body.id}/uploaded`, { upload_id: body.upload_id })
  shop.file = body.id
  for (const buyer of BUYERS) {
    const email = emailOf(shop, buyer)
    const request = { email, assets: [shop.file], notify: buyer !== 'bob', held: buyer === 'cid' }
    const created = await callOf(shop, 'POST', `${API}/orders`, request)
    assert.equal(created.status, 201, created.text)
    shop.orders[buyer] = created.body.data
  }
  await replace(shop, harness.context)
  return shop
}

function emailOf({ number }: Shop, buyer: Buyer): string {
  return `${buyer}${number}@example.com`
}

function callOf({ harness }: Shop, method: string, path: string, body?: object) {
  return harness.account.call(method, path, body)
}

async function change(shop: Shop, method: string, path: string, body?: object): Promise<void> {
  const response = await callOf(shop, method, path, body)
  if (response.status < 300) return
  shop.refusals.push(response.body.code ?? response.text)
}

/** Refusals that a client has to expect when others make calls at the same time. */
const EXPECTED = ['notice_ended', 'mail_running', 'too_many_requests']

async function noticesOf(shop: Shop): Promise<Notice[]> {
  return (await callOf(shop, 'GET', `${API}/assets/${shop.file}/notices`)).body.data
}

/** The newest first. */
async function mailsOf(shop: Shop, buyer: Buyer): Promise<Mail[]> {
  const { id } = shop.orders[buyer]
  return (await callOf(shop, 'GET', `${API}/mails?order=${id}&limit=100`)).body.data
}

async function allMails(shop: Shop): Promise<Mail[]> {
  return (await Promise.all(BUYERS.map((buyer) => mailsOf(shop, buyer)))).flat()
}

function receivedOf({ server }: Shop, { message_id }: Mail): number {
  return server.mails.filter((one) => one.header('Message-ID') === message_id).length
}

function show({ kind, cause, state, recipient, reason }: Mail): string {
  return JSON.stringify({ kind, cause, state, recipient, reason })
}

/** Mails that no attempt may send now, unless it has begun before. */
async function stoppedMails(shop: Shop): Promise<{ mail: Mail; received: number }[]> {
  const notices = await noticesOf(shop)
  const stopped: { mail: Mail; received: number }[] = []
  for (const buyer of BUYERS) {
    const { body } = await callOf(shop, 'GET', `${API}/orders/${shop.orders[buyer].id}`)
    for (const mail of await mailsOf(shop, buyer)) {
      const notice = notices.find(({ id }) => id === mail.notice_id && mail.cause === 'notice')
      const isStopped = body.data.status !== 'active' || (notice && isStill(notice))
      if (!isStopped || mail.state === 'sending') continue
      stopped.push({ mail, received: receivedOf(shop, mail) })
    }
  }
  return stopped
}

function isStill({ state }: Notice): boolean {
  return state === 'cancelled' || state === 'paused'
}

/** All that is due happens, and a notice that is not cancelled queues its other mails. */
async function finish(shop: Shop): Promise<void> {
  const { context } = shop.harness
  const isRunning = async () => {
    const [notice] = await noticesOf(shop)
    return notice?.state === 'sending' || notice?.state === 'paused'
  }
  await send(shop, context)
  for (let steps = 0; await isRunning(); steps += 1) {
    assert.ok(steps < 10, 'the notice does not end')
    await inSequence(pause, resume, continueNotice, send)(shop, context)
  }
  assert.deepEqual(await claim(context, LEASE_MS), [])
}

async function check(shop: Shop, mode: Mode): Promise<void> {
  for (const code of shop.refusals) assert.ok(EXPECTED.includes(code), `refused: ${code}`)
  const mails = await allMails(shop)
  const shown = mails.map(show).join('\n')
  for (const mail of mails) {
    const received = receivedOf(shop, mail)
    const isSent = mail.state === 'sent'
    // While the result is not recorded and the lease has ended, another instance decides.
    const most = mode === 'paused' ? Number(isSent) : 2
    assert.ok(received >= Number(isSent) && received <= most, `${received} times: ${show(mail)}`)
  }
  const notices = await noticesOf(shop)
  const [notice, ...earlier] = notices
  // A notice that is started again after the file was replaced is one of the new version.
  for (const { state } of earlier) assert.equal(state, 'cancelled')
  const news = mails.filter(({ cause }) => cause === 'notice')
  const queued = notices.reduce((sum, one) => sum + one.queued, 0)
  assert.equal(queued, news.length, shown)
  const { version } = (await callOf(shop, 'GET', `${API}/assets/${shop.file}`)).body.data
  for (const buyer of BUYERS) {
    const { data: order } = (await callOf(shop, 'GET', `${API}/orders/${shop.orders[buyer].id}`))
      .body
    const own = mails.filter(({ order_id }) => order_id === order.id)
    const ready = own.filter(({ kind }) => kind === 'files_ready')
    const isReadySent = ready.some(({ state }) => state === 'sent')
    assert.equal(order.email_sent_at !== null, isReadySent, shown)
    assert.equal(ready.filter(({ cause }) => cause === 'order').length, buyer === 'bob' ? 0 : 1)
    const states = new Set(own.map(({ state }) => state))
    const what = `${buyer}, whose order is ${order.status}, notice ${notice?.state}:\n${shown}`
    if (order.status === 'held') {
      assert.ok(!states.has('sending'), what)
      continue
    }
    assert.ok(!states.has('sending') && !states.has('failed'), what)
    for (const { state } of own) assert.notEqual(state, 'queued', what)
    if (order.status !== 'active') continue
    for (const { state } of ready) assert.equal(state, 'sent', what)
    // Orders that were held when the notice looked at them are not told.
    const isTold = notice?.state === 'done' && notice.version === version && buyer !== 'cid'
    if (!isTold || (await hasLeft(shop, buyer))) continue
    const ofNotice = own.filter(
      ({ cause, notice_id }) => cause === 'notice' && notice_id === notice.id,
    )
    assert.deepEqual(
      ofNotice.map(({ state }) => state),
      ['sent'],
      what,
    )
  }
  assert.equal(shop.copies.size, mails.filter(({ cause }) => cause === 'call').length, shown)
  await checkEvents(shop, mails)
}

function hasLeft(shop: Shop, buyer: Buyer): Promise<boolean> {
  const { context, account } = shop.harness
  return context.database.of(account.id).isUnsubscribed(emailOf(shop, buyer))
}

/** Each mail that was sent has one event. */
async function checkEvents(shop: Shop, mails: Mail[]): Promise<void> {
  const query = 'type=mail.sent,mail.failed&order=desc&limit=100'
  const { body } = await callOf(shop, 'GET', `${API}/events?${query}`)
  const ids = new Set(mails.map(({ id }) => id))
  const recorded = (body.data as { type: string; data: Mail }[])
    .filter(({ data }) => ids.has(data.id))
    .map(({ type, data }) => `${type} ${data.id}`)
  const sent = mails.filter(({ state }) => state === 'sent').map(({ id }) => `mail.sent ${id}`)
  assert.deepEqual(recorded.toSorted(), sent.toSorted())
}
