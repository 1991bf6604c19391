import assert from 'node:assert/strict'
import { checkEvents } from '@stowage/server/src/database/contract/check-events'
import { expireUploads } from '@stowage/server/src/jobs/uploads'
import type { Context } from '@stowage/server/src/operations/context'
import { removeObjects } from '@stowage/server/src/operations/removals'
import { until } from '@stowage/testing/machine/until'
import { anAccount, type TestAccount } from '@stowage/testing/service/accounts'
import { deliverAll, JOBS, NEVER, runJobs } from '@stowage/testing/service/jobs'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { expectedStates, readState } from './check-state.ts'
import { beginBulk, beginMoveFolder, type Operator, openClients } from './clients.ts'
import { type Batch, INITIAL_PLAN } from './commands.ts'
import { linearize } from './linearize.ts'
import { EMPTY_MODEL, type Model } from './model.ts'

let accounts = 0

/**
 * Runs the batches in a new account. Fails if a response or the final state violates a rule. `jobs` is
 * the context of the jobs that expire uploads and verify files.
 */
export async function runBatches(
  service: TestService,
  jobs: Context,
  { batches, received }: { batches: Batch[]; received: Received },
): Promise<void> {
  accounts += 1
  const account = await anAccount(service, { name: `model ${accounts}`, storage: INITIAL_PLAN })
  await account.call('POST', `${API}/webhooks`, { url: webhookUrlOf(account) })
  const clients = openClients(account, operatorOf(service, jobs, account))
  let models: Model[] = [EMPTY_MODEL]
  try {
    for (const batch of batches) {
      const events = (await Promise.all(batch.map(clients.perform))).flat()
      const next = linearize(models, events)
      if (next.length === 0) assert.fail(explain(models, events))
      models = next
    }
    await checkState(service, account, { models, jobs })
    await checkWebhook(service, account, received)
  } finally {
    await endUploads(account, models)
  }
}

function operatorOf({ context }: TestService, jobs: Context, account: TestAccount): Operator {
  const data = context.database.of(account.id)
  // Negative, because the storage's clock may be ahead of the database's.
  const expiringContext = { ...jobs, settings: { ...jobs.settings, uploadsKeptForMs: -60_000 } }
  return {
    changePlan: (bytes, assets) =>
      context.database.changePlan(account.id, { name: 'plan', storage: bytes, assets }),
    async expireUpload({ id: assetId, upload_id }) {
      const id = (await data.findReplacement(assetId, upload_id))?.asset.id ?? assetId
      await data.renewUpload(id, -1)
      await expireUploads(expiringContext, NEVER)
      await removeObjects(context, NEVER)
      return (await data.findUpload(id))?.status ?? 'gone'
    },
    runJob: (name) => JOBS[name](jobs),
    beginDeleteAll: () => data.beginTrashAll(),
    beginMoveFolder: (from, to) => beginMoveFolder(context, account.id, { from, to }),
    beginBulk: (action, ids) => beginBulk(context, account.id, { action, ids }),
  }
}

/** Fails unless the state matches one of the models. */
async function checkState(
  service: TestService,
  account: TestAccount,
  { models, jobs }: { models: Model[]; jobs: Context },
): Promise<void> {
  await runJobs(jobs)
  await checkEvents(service.context.database, account.id)
  const state = await readState(service, account, models[0]?.uploads ?? [])
  const expected = expectedStates(models)
  if (expected.some((one) => JSON.stringify(one) === JSON.stringify(state))) return
  assert.deepEqual(state, expected[0], `matches none of ${expected.length} possible states`)
}

function explain(models: Model[], events: unknown[]): string {
  const responses = events.map((event) => `  ${JSON.stringify(event)}`).join('\n')
  return `no order of these calls explains the responses:\n${responses}\nin ${JSON.stringify(models)}`
}

/** Deletes the uploads, because the jobs of later runs would process them, too. */
async function endUploads(account: TestAccount, models: Model[]): Promise<void> {
  for (const { id } of models[0]?.uploads ?? []) {
    await account.call('DELETE', `${API}/assets/${id}?permanent=true`)
  }
}

/** The IDs of the events that the webhooks of all accounts received, by URL. */
type Received = Map<string, number[]>

/** Makes the service add the IDs of events to the returned map instead of sending the events to webhooks. */
export function receiveWebhooks({ context }: TestService): Received {
  const received: Received = new Map()
  context.sendWebhook = async ({ url, body }) => {
    received.set(url, [...(received.get(url) ?? []), JSON.parse(body).id])
    return { status: 204, durationMs: 1, error: null, response: '', retryAfter: null }
  }
  return received
}

function webhookUrlOf({ id }: TestAccount): string {
  return `https://shop.example/${id}`
}

/** Fails unless the webhook of the account has received each of its events once. */
async function checkWebhook(
  { context }: TestService,
  account: TestAccount,
  received: Received,
): Promise<void> {
  // The service sends deliveries at the same time, and its jobs may still record events.
  await until('the webhook has received all events', async () => {
    await deliverAll(context)
    const { body } = await account.call('GET', `${API}/events?limit=1000`)
    const ids: number[] = body.data.filter(isAfterCreation).map(({ id }: { id: number }) => id)
    const sent = (received.get(webhookUrlOf(account)) ?? []).toSorted((a, b) => a - b)
    assert.equal(new Set(sent).size, sent.length, `an event was sent twice: ${sent}`)
    return sent.join() === ids.join()
  })
}

/** The keys of the account are created before its webhook, which does not receive its own creation. */
function isAfterCreation({ type }: { type: string }): boolean {
  return !type.startsWith('key.') && type !== 'webhook.created'
}
