import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Mail } from '@stowage/protocol'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { moveClock } from '@stowage/testing/machine/moved-clock'
import { freePort } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS
/** The pauses of an instance while the mail server cannot be reached; the last one is repeated. */
const PAUSES = [5, 15, 30, 60, 120, 300]
/** The pauses of a mail that the server refuses for now, in minutes; the last one is repeated. */
const RETRIES = [1, 5, 15, 30, 60, 120, 240]

/** A service whose clock moves only when the test says so, apart from the real time that passes. */
async function aMovedService(t: TestContext, port: number) {
  let shiftMs = 0
  moveClock(t, () => shiftMs)
  const readReal = performance.now.bind(performance)
  cleanUp(t, () => {
    performance.now = readReal
  })
  performance.now = () => readReal() + shiftMs
  let turns = 0
  const settings = mailSettings({ url: `smtp://127.0.0.1:${port}` })
  const service = await aService(t, settings, undefined, {
    wrap: ({ database }) => ({
      database: {
        ...database,
        nextMailIn() {
          turns += 1
          return database.nextMailIn()
        },
      },
    }),
  })
  const list = async (query: string): Promise<Mail[]> =>
    (await service.call('GET', `${API}/mails?limit=100&${query}`)).body.data
  const link = { filename: 'x', url: 'https://example.com/x' }
  const asset = await service.call('POST', `${API}/assets/store`, link)
  return {
    ...service,
    list,
    /** Moves the clock, and waits until the job has tried what is due. */
    async pass(ms: number): Promise<void> {
      shiftMs += ms
      const before = turns
      service.context.mail.queue.dispatchEvent(new Event('due'))
      await until('the job has run', () => turns > before)
      await until('no attempt runs', async () => (await list('state=sending')).length === 0)
    },
    async order(email: string, more: object = {}): Promise<string> {
      const request = { email, assets: [asset.body.data.id], notify: true, ...more }
      const { status, body } = await service.call('POST', `${API}/orders`, request)
      assert.equal(status, 201)
      return body.data.id
    },
  }
}

/** Closes each connection at once. Returns the times of the attempts. */
async function anUnreachableServer(t: TestContext, port: number) {
  const attempts: number[] = []
  const server = createServer((socket) => {
    attempts.push(Date.now())
    socket.on('error', () => {})
    socket.destroy()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  cleanUp(t, close)
  return { attempts, close }
}

/** Attempts that run at the same time are one. */
function gapsOf(attempts: number[]): number[] {
  const gaps = attempts.slice(1).map((at, index) => (at - (attempts[index] ?? 0)) / SECOND_MS)
  return gaps.filter((gap) => gap > 2)
}

test('while the mail server is down for a day, mails wait and its pauses grow; then each is sent once; after two days they fail', async (t) => {
  const port = await freePort()
  const down = await anUnreachableServer(t, port)
  const service = await aMovedService(t, port)
  const buyers = Array.from({ length: 12 }, (_, at) => `buyer${at}@example.com`)
  for (const email of buyers) await service.order(email)
  await service.pass(0)
  const begin = Date.now()
  for (let count = 0; count < 60; count += 1) await service.pass(5 * SECOND_MS)
  while (Date.now() - begin < DAY_MS) await service.pass(250 * SECOND_MS)
  const gaps = gapsOf(down.attempts)
  t.diagnostic(`${down.attempts.length} attempts in a day; pauses ${gaps.slice(0, 8).join(', ')} s`)
  for (const [index, gap] of gaps.entries()) {
    const expected = PAUSES[Math.min(index, PAUSES.length - 1)] ?? 0
    assert.ok(gap >= expected && gap < expected + 260, `pause ${index} is ${gap} s`)
  }
  assert.ok(gaps.length > 150)
  const waiting = await service.list('state=queued')
  assert.equal(waiting.length, buyers.length)
  for (const { attempts } of waiting) assert.equal(attempts, 0)
  assert.ok(waiting.some(({ reason }) => reason !== null))

  await down.close()
  const server = await aMailServer(t, {}, port)
  for (let count = 0; count < 40 && server.mails.length < buyers.length; count += 1) {
    await service.pass(60 * SECOND_MS)
  }
  assert.deepEqual(server.mails.flatMap(({ to }) => to).toSorted(), buyers.toSorted())
  assert.equal((await service.list('state=sent')).length, buyers.length)

  await server.close()
  const again = await anUnreachableServer(t, port)
  const late = Array.from({ length: 12 }, (_, at) => `late${at}@example.com`)
  for (const email of late) await service.order(email)
  const held = await service.order('held@example.com', { held: true })
  const outage = Date.now()
  while (Date.now() - outage < 2 * DAY_MS - 60 * MINUTE_MS) await service.pass(20 * MINUTE_MS)
  assert.equal((await service.list('state=queued')).length, late.length + 1)
  while (Date.now() - outage < 2 * DAY_MS + 20 * MINUTE_MS) await service.pass(20 * MINUTE_MS)
  const failed = await service.list('state=failed')
  assert.deepEqual(failed.map(({ recipient }) => recipient).toSorted(), late.toSorted())
  for (const { reason } of failed) assert.match(reason ?? '', /closed|ECONN|socket/i)
  const { body } = await service.call('GET', `${API}/events?type=mail.failed&limit=100`)
  assert.equal(body.data.length, late.length)

  // The mail of the held order has waited longer, and still gets its attempts when the order is released.
  await service.call('PATCH', `${API}/orders/${held}`, { held: false })
  await service.pass(0)
  assert.equal((await service.list(`order=${held}`))[0]?.state, 'queued')
  await again.close()
  const last = await aMailServer(t, {}, port)
  for (let count = 0; count < 20 && last.mails.length === 0; count += 1) {
    await service.pass(60 * SECOND_MS)
  }
  assert.equal((await service.list(`order=${held}`))[0]?.state, 'sent')
})

test('a mail that the server refuses for now is tried with growing pauses, and fails after two days', async (t) => {
  const attempts: number[] = []
  const server = await aMailServer(t, {
    refuse() {
      attempts.push(Date.now())
      return { code: 450, text: 'Greylisted' }
    },
  })
  const service = await aMovedService(t, server.port)
  const id = await service.order('ada@example.com')
  await until('the mail was tried', () => attempts.length > 0)
  let mail: Mail | undefined
  for (let count = 0; count < 40; count += 1) {
    await service.pass(0)
    ;[mail] = await service.list(`order=${id}`)
    if (mail?.state !== 'queued') break
    await service.pass(Date.parse(mail.next_attempt_at ?? '') - Date.now() + 1)
  }
  assert.deepEqual([mail?.state, mail?.reason], ['failed', '450 Greylisted'])
  assert.equal(mail?.attempts, attempts.length)
  const minutes = gapsOf(attempts).map((gap) => gap / 60)
  t.diagnostic(
    `${attempts.length} attempts after pauses of ${minutes.map(Math.round).join(', ')} min`,
  )
  for (const [index, gap] of minutes.entries()) {
    const expected = RETRIES[Math.min(index, RETRIES.length - 1)] ?? 0
    assert.ok(gap >= expected && gap < expected + 1, `pause ${index} is ${gap} min`)
  }
  const total = minutes.reduce((sum, gap) => sum + gap, 0)
  assert.ok(total > 2 * 24 * 60 - 240 && total <= 2 * 24 * 60, `${total} min`)
})
