import { formatSize } from '@stowage/protocol/format'
import type { AssetRecord } from '../database/account-data.ts'
import { NOT_VERIFIED, UNKNOWN_MEDIA_TYPE } from '../domain/asset.ts'
import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'

const BATCH = 100

/**
 * Objects without any row may be the only copies of files that were uploaded after the backup that the database was
 * restored from. So they are kept, unless the operator chooses otherwise.
 */
export async function handleOrphans(context: DoctorContext, keys: string[]): Promise<Finding> {
  const { contents, orphans } = context
  const described = keys.map((key) => contents.describeObject(key))
  if (orphans?.kind === 'import') return importOrphans(context, orphans.account, keys)
  if (orphans?.kind === 'remove') {
    const sizes = await Promise.all(keys.map((key) => sizeOf(context, key)))
    const listed = described.map((name, index) => `${name} (${sizes[index]})`)
    if (await orphans.confirm(listed)) return removeOrphans(context, keys)
  }
  return {
    check: 'files',
    status: 'error',
    message: `objects that belong to no asset: ${keys.length}; they may be files uploaded after the backup that the database was restored from, so they are kept`,
    items: described,
    remedy:
      'to get them as assets in the folder “recovered”: stowage doctor --import-orphans. If they are not needed: stowage doctor --remove-orphans',
  }
}

async function sizeOf({ contents }: DoctorContext, key: string): Promise<string> {
  const object = await contents.findObject(key)
  return object === undefined ? 'removed' : formatSize(object.size)
}

/** Only those that still have no row: an object may have got one since it was listed. */
async function* orphansAmong({ database }: DoctorContext, keys: string[]): AsyncIterable<string[]> {
  for (let start = 0; start < keys.length; start += BATCH) {
    const batch = keys.slice(start, start + BATCH)
    const states = await database.readStates(batch)
    yield batch.filter((key) => !states.has(key))
  }
}

async function removeOrphans(context: DoctorContext, keys: string[]): Promise<Finding> {
  const items: string[] = []
  for await (const batch of orphansAmong(context, keys)) {
    for (const key of batch) {
      await context.contents.removeObject(key)
      items.push(context.contents.describeObject(key))
    }
  }
  const message = `objects that belonged to no asset: ${items.length}; removed`
  return { check: 'files', status: 'fixed', message, items }
}

/** Their names, types and folders were in the rows that were lost. */
async function importOrphans(
  context: DoctorContext,
  name: string,
  keys: string[],
): Promise<Finding> {
  const { database } = context
  const account = await database.findAccount(name)
  if (account === undefined) {
    const message = `there is no account ${name} for the objects that belong to no asset`
    return { check: 'files', status: 'error', message, remedy: 'stowage accounts ls' }
  }
  const items: string[] = []
  for await (const batch of orphansAmong(context, keys)) {
    const found = await Promise.all(batch.map((key) => recordOf(context, account.id, key)))
    const assets = found.filter((record) => record !== undefined)
    await database.of(account.id).importRecords({ keys: [], assets })
    items.push(...assets.map(({ asset }) => `${asset.path}/${asset.filename}`))
  }
  const message = `objects that belonged to no asset: ${items.length}; they are assets of the account ${name} now, without their names. Rename or delete them`
  return { check: 'files', status: 'fixed', message, items }
}

async function recordOf(
  { contents, clock }: DoctorContext,
  accountId: string,
  key: string,
): Promise<AssetRecord | undefined> {
  const object = await contents.findObject(key)
  if (object === undefined || object.problem !== undefined) return undefined
  const now = clock()
  const createdAt = timeOf(key) ?? now
  const chunkSize = (await contents.readPartSize(key)) ?? Math.max(1, object.size)
  return {
    asset: {
      id: key,
      accountId,
      kind: 'file',
      status: 'ready',
      filename: `recovered ${createdAt.toISOString().slice(0, 10)} ${key.slice(-12)}.bin`,
      bytes: object.size,
      mime: UNKNOWN_MEDIA_TYPE,
      url: null,
      createdAt,
      updatedAt: now,
      version: 1,
      path: 'recovered',
      tags: [],
      isInline: false,
      integrity: NOT_VERIFIED,
    },
    upload: { id: key, chunkSize, expiresAt: now },
    idempotency: undefined,
    changedAt: now,
    productIds: [],
    key,
    versionCreatedAt: createdAt,
    lastVersion: 1,
    versions: [],
  }
}

/** The first 48 bits of an ID are its time. Undefined if it is in no plausible year. */
function timeOf(key: string): Date | undefined {
  const time = new Date(Number.parseInt(key.replace('-', '').slice(0, 12), 16))
  const year = time.getUTCFullYear()
  return year >= 2020 && year < 2200 ? time : undefined
}
