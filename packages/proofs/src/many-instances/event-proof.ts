import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { checkEvents } from '@stowage/server/src/database/contract/check-events'
import type { Database } from '@stowage/server/src/database/database'
import { eventNumber } from '@stowage/server/src/domain/event'
import { createKey } from '@stowage/server/src/operations/keys'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { callerWith } from '@stowage/testing/service/accounts'
import type { ServiceProcess } from '@stowage/testing/service/service-process'
import { v7 as newUuid } from 'uuid'
import { saveResult } from '../reliability/result.ts'
import {
  changeUntilOver,
  checkMarkedEvents,
  type MarkedChange,
  receiveEvents,
  type SeenEvent,
} from './changes.ts'
import type { Attempt } from './clients.ts'
import { type SharedEngines, withSharedEngines } from './shared-engines.ts'

/*
 * Eight clients change two accounts through four instances that are killed at random. Meanwhile, a reader of each
 * account polls GET /events, and a webhook of each account receives the events:
 *
 *     EVENT_CHANGES=100000 npx node --test packages/proofs/src/many-instances/event-proof.ts
 */
const CHANGES = Number(process.env.EVENT_CHANGES ?? 2_000)
const SEED = seedOf('EVENT_SEED')
const INSTANCES = 4
/** The longest pause between kills. With more changes it is longer: each restart takes CPU time from the changes. */
const MAX_PAUSE_MS = Math.min(Math.max(1_000, CHANGES / 10), 10_000)
const CLIENTS = 8
/** How long a reader waits when it has read all events. Without a pause, readers would take most of the CPU time. */
const POLL_MS = 200
const ACCOUNTS = ['first', 'second']
const SETTINGS = {
  STOWAGE_AUTH: 'keys',
  STOWAGE_LOG: 'error',
  STOWAGE_WEBHOOK_TARGETS: 'any',
}

interface Account {
  id: string
  secret: string
  changes: MarkedChange[]
}

await withSharedEngines('events', (engines) => {
  test(`a reader sees each of ${CHANGES} changes once, in order, while instances are killed`, {
    timeout: 60_000 + CHANGES * 100,
  }, async (t) => {
    t.diagnostic(`EVENT_SEED=${SEED} repeats the random choices`)
    await changeAndRead(t, engines, aRandom(SEED))
  })
})

async function changeAndRead(t: TestContext, engines: SharedEngines, random: Random) {
  const deployment = await engines.deploy(t)
  const accounts = await Promise.all(ACCOUNTS.map((name) => anAccount(deployment.database, name)))
  const receivers = await Promise.all(
    accounts.map(({ id }) => receiveEvents(t, deployment.database.of(id))),
  )
  const running = await Promise.all(
    Array.from({ length: INSTANCES }, () => deployment.start(SETTINGS)),
  )
  const urls = () => running.map(({ baseUrl }) => baseUrl) as [string, ...string[]]
  const attempts: Attempt[] = []
  let hasEnded = false
  const requested = () => accounts.reduce((sum, { changes }) => sum + changes.length, 0)
  const isOver = () => hasEnded || requested() >= CHANGES
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    const { secret, changes } = accounts[index % accounts.length] as Account
    const own = aRandom(random.between(0, 2 ** 32))
    const name = `client${index}`
    return changeUntilOver({ name, secret, changes, isOver, baseUrls: urls, random: own, attempts })
  })
  let kills = 0
  const killer = async () => {
    while (!isOver()) {
      const victim = random.between(0, INSTANCES)
      await running[victim]?.stop('SIGKILL')
      running[victim] = await deployment.start(SETTINGS)
      kills += 1
      // A random time during which all instances run; it waits for no particular event.
      await pause(random.between(0, MAX_PAUSE_MS))
    }
  }
  const changes = Promise.all([...clients, killer()]).finally(() => {
    hasEnded = true
  })
  const readers = accounts.map((account) => follow(account, urls, () => hasEnded))
  const [seen] = await Promise.all([Promise.all(readers), changes])
  let made = 0
  let repeated = 0
  for (const [index, account] of accounts.entries()) {
    made += checkMarkedEvents(seen[index] ?? [], account.changes)
    await checkEvents(deployment.database, account.id)
    repeated += (await receivers[index]?.waitForAll(seen[index] ?? [])) ?? 0
  }
  await stopAll(running)
  t.diagnostic(`${made} changes, ${kills} kills, ${repeated} repeated requests to webhooks`)
  await saveResult('events', {
    command: `EVENT_CHANGES=${CHANGES} EVENT_SEED=${SEED} npx node --test packages/proofs/src/many-instances/event-proof.ts`,
    rows: {
      'Changes requested': requested().toLocaleString('en'),
      'of these, changes that were made (the others were refused and left no event)':
        made.toLocaleString('en'),
      'Kills of an instance': String(kills),
      'Changes without an event, events without a change, events out of order': '0',
      'Events that a webhook did not receive': '0',
      'Requests to webhooks that were repeated': repeated.toLocaleString('en'),
    },
  })
}

async function anAccount(database: Database, name: string): Promise<Account> {
  const details = { id: newUuid(), name, planName: name, planStorage: 1e12, createdAt: new Date() }
  const { id } = await database.ensureAccount(details)
  const clock = () => new Date()
  const context = { data: database.of(id), newId: newUuid, clock, randomBytes }
  const { secret } = await createKey(context, { name, scope: 'manage' })
  return { id, secret, changes: [] }
}

/** Reads the events from the instances in turn. The key has the scope manage, so it gets every event: IDs 1, 2, … */
async function follow(
  { secret }: Account,
  urls: () => [string, ...string[]],
  isOver: () => boolean,
): Promise<SeenEvent[]> {
  const events: SeenEvent[] = []
  for (let turn = 0; ; turn += 1) {
    const isLast = isOver()
    const url = urls()[turn % INSTANCES] ?? ''
    const path = `/api/v1/events?after=${events.at(-1)?.id ?? 0}&limit=1000`
    const response = await callerWith(url, secret)('GET', path).catch(() => undefined)
    if (response?.status !== 200) continue
    for (const event of response.body.data) {
      events.push(event)
      assert.equal(eventNumber(event.id), events.length)
    }
    if (response.body.meta.has_more) continue
    if (isLast) return events
    await pause(POLL_MS)
  }
}

async function stopAll(running: ServiceProcess[]): Promise<void> {
  for (const instance of running) assert.equal(await instance.stop('SIGTERM'), 0)
}
