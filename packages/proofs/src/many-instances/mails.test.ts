import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openConnection } from '@stowage/server/src/database/postgres/connection'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aRandom, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import {
  aMailServer,
  mailSettings,
  type ReceivedMail,
  type TestMailServer,
} from '@stowage/testing/service/mail-server'
import { callJson } from '@stowage/testing/service/service'
import type { ServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'
import { endLeasesOn } from '../mail/end-leases.ts'
import { saveResult } from '../reliability/result.ts'
import { type EmptyDeployment, type SharedEngines, withSharedEngines } from './shared-engines.ts'

/*
 * Kill more often, or repeat a run:
 *
 *     MAIL_KILLS=200 TEST_TIMEOUT_MS=3600000 npx node packages/testing/src/stages/on-engines.ts own-engines packages/proofs/src/many-instances/mails.test.ts
 *     MAIL_SEED=123 npx node packages/testing/src/stages/on-engines.ts own-engines packages/proofs/src/many-instances/mails.test.ts
 */
const INSTANCES = 4
const KILLS = Number(process.env.MAIL_KILLS ?? 12)
const ROUNDS = Math.ceil(KILLS / INSTANCES)
/** How many mails wait, so that every instance has some to send. */
const BACKLOG = 12
/** Shorter than the lease of a claim: no mail may wait for the end of one. */
const LONGEST_WAIT_MS = 100_000
/** Longer than an instance takes to record a result after the response. */
const LATEST_KILL_MS = 8

/**
 * When an instance is killed: while it names the recipient, after the server has received the message, while the response
 * is under way, or shortly after it.
 */
const POINTS = ['recipient', 'message', 'response', 'after the response'] as const

const KILLED: Record<(typeof POINTS)[number], string> = {
  recipient: 'of these, while it named the recipient',
  message: 'of these, when the server had received the message',
  response: 'of these, while the response was under way',
  'after the response': 'of these, shortly after the response',
}

await withSharedEngines('mails on many instances', (engines) => {
  test(`${KILLS} kills of four instances while they send mails: none is lost, and one is repeated only if the server had it and its sender was killed`, async (t) => {
    const seed = seedOf('MAIL_SEED')
    t.diagnostic(`MAIL_SEED=${seed} repeats the random choices`)
    await killSenders(t, engines, seed)
  })
})

/** A message that a server has received. */
interface Copy {
  messageId: string
  recipient: string
  run: Run
}

/** One process of an instance, from its start to its kill. */
interface Run {
  round: number
  point: (typeof POINTS)[number]
  /** The mail at which it is killed. */
  at: number
  seen: number
  process?: ServiceProcess
  killed?: Promise<unknown> | undefined
}

async function killSenders(t: TestContext, engines: SharedEngines, seed: number): Promise<void> {
  const random = aRandom(seed)
  const deployment = await engines.deployEmpty(t)
  const { STOWAGE_DATABASE: url = '' } = deployment.settings
  const { sql, close } = openConnection({
    url,
    poolSize: 1,
    statementTimeoutMs: 10_000,
    tls: 'off',
  })
  cleanUp(t, close)
  const copies: Copy[] = []
  /** Messages whose results were not recorded when their senders were killed. */
  const unrecorded = new Map<Run, Set<string>>()
  const runs: Run[] = []
  const current: Run[] = []
  const servers = await Promise.all(
    Array.from({ length: INSTANCES }, (_, index) => aServer(t, () => current[index], copies)),
  )
  const kills: Record<string, number> = {}
  const orders: string[] = []
  let lost = 0
  let asset: string | undefined

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const index of servers.keys()) {
      const run: Run = { round, point: random.pick(POINTS), at: random.between(0, 6), seen: 0 }
      current[index] = run
      runs.push(run)
    }
    await startAll(deployment, servers, current)
    // In the first round, nothing is sent yet, so no instance is killed.
    asset ??= await anAsset(current)
    while (current.some(({ killed }) => killed === undefined)) {
      // Those of killed instances wait for the end of their leases.
      if ((await countMails(sql, ['queued'])) >= BACKLOG) {
        await pause(1)
        continue
      }
      const email = `buyer${orders.length}@example.com`
      orders.push(email)
      lost += await order(current, { email, asset, reference: email })
    }
    await Promise.all(current.map(({ killed }) => killed))
    const sending = new Set(await endLeasesOn(sql))
    for (const run of current) {
      kills[run.point] = (kills[run.point] ?? 0) + 1
      unrecorded.set(run, sending)
    }
  }

  for (const index of servers.keys()) {
    current[index] = { round: ROUNDS, point: 'message', at: Number.POSITIVE_INFINITY, seen: 0 }
  }
  await startAll(deployment, servers, current)
  // A call whose response was lost is repeated, and queues no second mail.
  for (const email of orders) {
    await order(current, { email, asset: asset ?? '', reference: email })
  }
  await untilSent(sql)
  for (const { process } of current) assert.equal(await process?.stop('SIGTERM'), 0)

  const [states] = await sql<{ sent: number; others: number }[]>`
    select count(*) filter (where state = 'sent')::int as sent,
      count(*) filter (where state <> 'sent')::int as others from mails`
  assert.deepEqual({ ...states }, { sent: orders.length, others: 0 })
  const repeated = checkCopies(copies, orders, unrecorded)
  const points = POINTS.map((point) => `${kills[point] ?? 0} ${point}`).join(', ')
  t.diagnostic(
    `${runs.length} kills (${points}); ${orders.length} mails, ${lost} lost responses to orders, ${repeated} repeated mails`,
  )
  await saveResult('mail-kills', {
    command: `MAIL_KILLS=${KILLS} MAIL_SEED=${seed} npx node packages/testing/src/stages/on-engines.ts own-engines packages/proofs/src/many-instances/mails.test.ts`,
    rows: {
      'Kills of an instance': String(runs.length),
      ...Object.fromEntries(POINTS.map((point) => [KILLED[point], String(kills[point] ?? 0)])),
      'Mails queued': orders.length.toLocaleString('en'),
      'Mails that did not arrive, or arrived with two different Message-IDs': '0',
      'Mails repeated because the result was not recorded at the kill': String(repeated),
      'Other repeated mails': '0',
    },
  })
}

/** Every buyer has one message, and copies of it only where its sender was killed before it recorded the result. */
function checkCopies(copies: Copy[], orders: string[], unrecorded: Map<Run, Set<string>>): number {
  const byRecipient = Map.groupBy(copies, ({ recipient }) => recipient)
  assert.deepEqual([...byRecipient.keys()].toSorted(), orders.toSorted())
  let repeated = 0
  for (const [recipient, list] of byRecipient) {
    const [{ messageId } = { messageId: '' }] = list
    for (const [index, copy] of list.entries()) {
      assert.equal(copy.messageId, messageId, `two messages to ${recipient}`)
      const next = list[index + 1]
      if (next === undefined) continue
      repeated += 1
      const what = `${messageId}, sent in the rounds ${copy.run.round} and ${next.run.round}`
      assert.ok(unrecorded.get(copy.run)?.has(messageId), `repeated without reason: ${what}`)
      assert.ok(next.run.round > copy.run.round, `repeated although its sender had it: ${what}`)
    }
  }
  return repeated
}

type Sql = ReturnType<typeof openConnection>['sql']

async function untilSent(sql: Sql): Promise<void> {
  const isSent = async () => (await countMails(sql, ['queued', 'sending'])) === 0
  await until('all mails are sent', isSent, LONGEST_WAIT_MS).catch(async (error) => {
    const rest = await sql`
      select state, attempts, due_at, reason, created_at from mails where state in ('queued', 'sending')`
    assert.fail(`${error.message}: ${JSON.stringify(rest.slice(0, 5))}`)
  })
}

async function countMails(sql: Sql, states: string[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from mails where state = any(${states})`
  return row?.count ?? 0
}

/** The mail server of one instance, which kills it at its point. */
async function aServer(
  t: TestContext,
  current: () => Run | undefined,
  copies: Copy[],
): Promise<TestMailServer> {
  const kill = (run: Run) => {
    run.killed ??= run.process?.stop('SIGKILL')
  }
  // An instance can send mails before its start is noticed. Until then, it cannot be killed.
  const isReached = (run: Run, point: Run['point']) =>
    run.process !== undefined && run.point === point && run.seen >= run.at
  return aMailServer(t, {
    refuse() {
      const run = current()
      if (run && isReached(run, 'recipient')) kill(run)
      if (run) run.seen += 1
      return undefined
    },
    async onMessage(mail: ReceivedMail) {
      const run = current()
      if (run === undefined) return undefined
      copies.push({
        messageId: mail.header('Message-ID') ?? '',
        recipient: mail.to[0] ?? '',
        run,
      })
      if (isReached(run, 'message')) {
        kill(run)
        await run.killed
        return 'break'
      }
      if (isReached(run, 'response')) kill(run)
      if (isReached(run, 'after the response')) {
        setTimeout(() => kill(run), (copies.length * 7) % LATEST_KILL_MS)
      }
      return undefined
    },
  })
}

async function startAll(
  { start }: EmptyDeployment,
  servers: TestMailServer[],
  runs: Run[],
): Promise<void> {
  const starts = servers.map(async (server, index) => {
    const process = await start(mailSettings(server))
    const run = runs[index]
    if (run) run.process = process
  })
  await Promise.all(starts)
}

/** Calls an instance that is not killed. Returns undefined if none is left, or the connection broke. */
async function callAny(runs: Run[], path: string, body: object) {
  const alive = runs.filter(({ killed }) => killed === undefined)
  const [run] = alive.length === 0 ? [] : [alive[Math.floor(alive.length / 2)]]
  if (run?.process === undefined) return undefined
  return callJson(run.process.baseUrl + API + path, { method: 'POST', body }).catch(() => undefined)
}

async function anAsset(runs: Run[]): Promise<string> {
  const link = { filename: 'x', url: 'https://example.com/x' }
  const created = await callAny(runs, '/assets/store', link)
  return created?.body.data.id ?? assert.fail('no instance responds')
}

/** Returns 1 if the response was lost. */
async function order(
  runs: Run[],
  { email, asset, reference }: { email: string; asset: string; reference: string },
): Promise<number> {
  const request = { email, reference, assets: [asset], notify: true }
  const response = await callAny(runs, '/orders', request)
  if (response === undefined) return 1
  assert.ok([200, 201].includes(response.status), JSON.stringify(response.body))
  return 0
}
