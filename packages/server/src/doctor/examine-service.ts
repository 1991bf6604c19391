import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sealedWith } from '../crypto/secret-key.ts'
import type { Finding } from '../domain/finding.ts'
import type { Webhook } from '../domain/webhook.ts'
import { findKeyProblem, KEY_REMEDY } from '../engines/secret-key.ts'
import {
  describeUnfinishedMove,
  findMismatch,
  REMEDY,
  resumeMove,
} from '../engines/storage-binding.ts'
import { listExposedFiles } from '../process/data-folder.ts'
import type { DoctorContext } from './doctor-context.ts'
import {
  reconcileBulkJobs,
  reconcileDownloads,
  reconcileEvents,
  reconcileUsage,
} from './reconcile-database.ts'
import { reconcileFiles } from './reconcile-files.ts'
import { reconcileUploads } from './reconcile-uploads.ts'

/** The engine-specific checks. */
export interface Engines {
  examineSettings(): AsyncIterable<Finding>
  examineDatabase(): AsyncIterable<Finding>
  examineStorage(): AsyncIterable<Finding>
  examineMail(): AsyncIterable<Finding>
  /** Call it only if the checks of both engines passed. */
  open(): Promise<DoctorContext & { close(): Promise<void> }>
}

const NOT_COMPARED: Finding = {
  check: 'usage',
  status: 'note',
  message: 'files, uploads, usage and events were not compared, because of the findings above',
}

/** Runs all checks, each after those that it depends on. */
export async function* examineService(engines: Engines): AsyncIterable<Finding> {
  let isReady = true
  for (const findings of [
    engines.examineSettings(),
    engines.examineDatabase(),
    engines.examineStorage(),
  ]) {
    for await (const finding of findings) {
      yield finding
      if (!allowsComparison(finding)) isReady = false
      if (finding.check === 'settings' && finding.status === 'error') return
    }
  }
  yield* engines.examineMail()
  if (!isReady) {
    yield NOT_COMPARED
    return
  }
  const { close, ...context } = await engines.open()
  try {
    const identity = await examineIdentity(context)
    yield identity
    if (identity.status === 'error') {
      yield NOT_COMPARED
      return
    }
    yield* reconcileUsage(context)
    yield await reconcileEvents(context)
    yield await reconcileDownloads(context)
    yield await reconcileBulkJobs(context)
    yield* reconcileFiles(context)
    yield* reconcileUploads(context)
    yield await examineSecretKey(context)
    yield await examineWebhooks(context)
  } finally {
    await close()
  }
}

/** Wrong bucket rules do not prevent the comparison, because it only reads rows and objects. */
function allowsComparison({ check, status }: Finding): boolean {
  return check === 'bucket rules' || (status !== 'error' && status !== 'pending')
}

/** Checks that the database and the storage belong together: otherwise, comparing them is meaningless. */
async function examineIdentity({ database, contents }: DoctorContext): Promise<Finding> {
  const check = 'storage'
  const identity = await database.readIdentity()
  const mismatch = findMismatch(identity, await contents.readIdentity())
  if (mismatch !== undefined) {
    const message = `it does not belong to this database: ${mismatch}`
    return { check, status: 'error', message, remedy: REMEDY }
  }
  if (identity.unfinishedMove !== undefined) {
    const message = describeUnfinishedMove(identity.unfinishedMove)
    return { check, status: 'error', message, remedy: resumeMove(identity.unfinishedMove) }
  }
  if (identity.storageId === undefined) {
    const message = 'it is not bound to this database yet; the service binds it when it starts'
    return { check, status: 'note', message }
  }
  return { check, status: 'ok', message: 'it belongs to this database' }
}

const WEBHOOKS = 100

/** Missed events are reported for as long as the log of deliveries goes back. */
const REPORTED_FOR_MS = 30 * 24 * 3_600_000

/** Reports the webhooks that are disabled, whose requests fail, or that have missed events. */
async function examineWebhooks({
  database,
  clock,
}: Pick<DoctorContext, 'database' | 'clock'>): Promise<Finding> {
  const check = 'webhooks'
  const items: string[] = []
  let total = 0
  const reportedSince = new Date(clock().getTime() - REPORTED_FOR_MS)
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, WEBHOOKS)
    total += webhooks.length
    items.push(...webhooks.flatMap((webhook) => problemOfWebhook(webhook, reportedSince) ?? []))
    after = webhooks.at(-1)?.id
    if (webhooks.length < WEBHOOKS) break
  }
  if (items.length === 0) {
    return { check, status: 'ok', message: `${total} checked, none of them fails` }
  }
  const message = `webhooks that fail, are disabled or missed events: ${items.length} of ${total}`
  return { check, status: 'note', message, items }
}

/** Checks that the key that encrypts secrets is the right one, and that it has encrypted all of them. */
async function examineSecretKey(
  context: Pick<DoctorContext, 'database' | 'contents' | 'secretKey'>,
): Promise<Finding> {
  const check = 'secret key'
  const { database, contents: storage, secretKey: configured } = context
  const problem = await findKeyProblem({ database, storage, configured })
  if (problem !== undefined) {
    return { check, status: 'error', message: problem, remedy: KEY_REMEDY }
  }
  const bound = await database.readSecretKeyId()
  const items: string[] = []
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, WEBHOOKS)
    for (const { id, url, secret } of webhooks) {
      const keyId = sealedWith(secret)
      if (keyId !== bound) items.push(`${id} ${url}: encrypted with the key ${keyId ?? 'unknown'}`)
    }
    after = webhooks.at(-1)?.id
    if (webhooks.length < WEBHOOKS) break
  }
  if (items.length === 0) return { check, status: 'ok', message: 'all secrets are encrypted' }
  const message =
    'secrets of some webhooks are not encrypted with the key of this service: replace these secrets'
  return { check, status: 'note', message, items }
}

function problemOfWebhook(webhook: Webhook, reportedSince: Date): string | undefined {
  const { id, url, disabled, failingSince, missed } = webhook
  if (missed !== null && missed.at > reportedSince) {
    const time = missed.at.toISOString()
    return `${id} ${url}: missed ${missed.count} events that were removed before they could be sent, the last ones before ${time}; see STOWAGE_EVENTS_SIZE`
  }
  if (disabled !== null) {
    return `${id} ${url}: disabled (${disabled.reason}) since ${disabled.at.toISOString()}`
  }
  return failingSince === null
    ? undefined
    : `${id} ${url}: failing since ${failingSince.toISOString()}`
}

/** Checks that the folder can be used, or created if it does not exist, and that its files are private. */
export async function* examineDataFolder(directory: string): AsyncIterable<Finding> {
  const problem = await findFolderProblem(directory)
  if (problem !== undefined) {
    yield {
      check: 'settings',
      status: 'error',
      message: `STOWAGE_DATA=${directory}: ${problem}`,
      remedy: 'set STOWAGE_DATA to a folder that the user of the service can write to',
    }
    return
  }
  const exposed = await listExposedFiles(directory)
  if (exposed.length === 0) return
  yield {
    check: 'settings',
    status: 'note',
    message: `STOWAGE_DATA=${directory}: other users of this machine can read private files`,
    items: exposed,
    // Not changed automatically: the operator may have given access to a program for backups.
    remedy: `chmod 700 ${directory}, or chmod 600 these files`,
  }
}

async function findFolderProblem(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return `${path} is not a folder`
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // The first start creates it, with its parent folders.
    if (code === 'ENOENT' && dirname(path) !== path) return findFolderProblem(dirname(path))
    return `this user cannot read and write ${path}`
  }
}
