import type { DatabaseSync } from 'node:sqlite'
import type { BulkJob } from '../../domain/bulk.ts'
import { MAX_DETACHED_WITH_PRODUCT } from '../bulk-data.ts'
import type { Database } from '../database.ts'
import { listMigrations, type OpenOptions } from '../migrate.ts'
import { foldProducts } from '../shared/fold-products.ts'
import { createStepQueue } from '../shared/time-slicer.ts'
import {
  type AccountGroups,
  type BulkMethods,
  type Engine,
  type RunUnit,
  type Writer,
  wireAccountData,
} from '../shared/wire-account-data.ts'
import { type DatabaseGroups, wireDatabase } from '../shared/wire-database.ts'
import { prepareAccounts, prepareUsage } from './accounts.ts'
import { prepareArchives } from './archives.ts'
import { prepareAssetList } from './asset-list.ts'
import { prepareAssets } from './assets.ts'
import { prepareAttachedRows, prepareAttachments, prepareBulkAttachments } from './attachments.ts'
import { prepareBulkJobs, prepareNewBulkJobs } from './bulk-jobs.ts'
import { prepareVerifications } from './checksums.ts'
import { prepareCompletion } from './completion.ts'
import {
  type Connection,
  connect,
  disableBusyTimeout,
  openSnapshotReader,
  type SnapshotReader,
  wrapConnection,
} from './connection.ts'
import { prepareAttempts, prepareDeliveryQueue } from './delivery-queue.ts'
import { openEventChannel } from './event-channel.ts'
import { prepareEvents, prepareEventsOfAll } from './events.ts'
import { prepareBulkMoves, prepareFolderMoves } from './folder-moves.ts'
import { prepareFolderList } from './folders.ts'
import { prepareIdempotencyKeys, prepareOnce } from './idempotency-keys.ts'
import { prepareJobs } from './jobs.ts'
import { countRequestsInMemory, prepareKeys, prepareSessions } from './keys.ts'
import { type LongWrites, openLongWrites, type Steps } from './long-writes.ts'
import { MIGRATIONS, migrateFile, requireMigratedFile } from './migrations.ts'
import { prepareOrderList, prepareSharedWork } from './orders.ts'
import { prepareProductGroups, prepareProductList } from './product-list.ts'
import { DETACHED, prepareBulkProducts, prepareCountAttached } from './products.ts'
import { prepareRecords, prepareStoredFiles } from './records.ts'
import { STATEMENTS } from './rows.ts'
import { openSpareFile, type SpareFile } from './spare-file.ts'
import { prepareBulkTags, prepareTags } from './tags.ts'
import { prepareBulkTrash, prepareTrash, prepareTrashList } from './trash.ts'
import { createUnitsOfWork, groupCommits, type UnitsOfWork } from './unit-of-work.ts'
import { prepareUploadTokens } from './upload-tokens.ts'
import { prepareUploadList, prepareUploads } from './uploads.ts'
import { prepareVersions } from './versions.ts'
import { prepareDeliveries, prepareWebhooks } from './webhooks.ts'

interface SqliteOptions {
  file: string
  /** Opens the file for reading only. All migrations must have run. */
  readOnly?: boolean
  /** Called for every statement that runs. */
  onStatement?: (sql: string) => void
}

/** Opens the file, and creates or migrates it if necessary, unless `migrate` forbids it. */
export async function openSqliteDatabase(
  options: SqliteOptions,
  opening: OpenOptions = {},
): Promise<Database> {
  const { file, onStatement } = options
  const spareFile = openSpareFile(file)
  const database = await openFile(options, spareFile, opening)
  const known = await listMigrations(opening.migrations ?? MIGRATIONS)
  const channel = openEventChannel(database)
  const listeners = { onStatement, announce: channel.announce }
  const connection = wrapConnection(database, listeners)
  const inGroup = groupCommits(connection)
  const run = createUnitsOfWork(inGroup, spareFile)
  const snapshots = openSnapshotReader({ file, database }, { onStatement })
  const longWrites = openLongWrites({
    file,
    connection,
    inGroup,
    prepare: prepareBulk,
    ...listeners,
  })
  const ping = connection.prepare('select 1')
  const countRequest = countRequestsInMemory()
  const perform = prepareSharedWork(connection)
  const engine: Engine<void> = {
    statements: STATEMENTS,
    runner: createRunner(run),
    execute: (_, statement, values) => connection.execute(statement, values),
    transact: (_, writer, work) => perform(writer, work),
  }
  const groupsOf = prepareAccountGroups(connection, { longWrites, snapshots }, run)

  return {
    ...wireDatabase(engine, prepareDatabaseGroups(connection), {
      known,
      of: wireAccountData(engine, groupsOf),
    }),

    countRequest: (request, windowStart) => run.read(() => countRequest(request, windowStart)),

    onEvents: channel.onEvents,
    onEndedCredential: channel.onEndedCredential,

    reserveDiskSpace: () => spareFile.allocate(),
    readLoad: () => undefined,
    async check() {
      await run.read(() => ping.get())
    },
    close: () =>
      run.read(() => {
        channel.close()
        longWrites.close()
        snapshots.close()
        database.close()
      }),
  }
}

function createRunner(run: UnitsOfWork): Engine<void>['runner'] {
  return ({ kind, account }) => {
    const units = account === undefined ? run : run.of(account)
    return units[kind] as RunUnit<void>
  }
}

function prepareDatabaseGroups(connection: Connection): DatabaseGroups<void> {
  const always =
    <Methods>(methods: Methods) =>
    () =>
      methods
  return {
    accounts: always(prepareAccounts(connection)),
    usage: always(prepareUsage(connection)),
    keys: always(prepareKeys(connection)),
    sessions: always(prepareSessions(connection)),
    uploadTokens: always(prepareUploadTokens(connection)),
    idempotencyKeys: always(prepareIdempotencyKeys(connection)),
    jobs: always(prepareJobs(connection)),
    trash: always(prepareTrash(connection)),
    events: always(prepareEventsOfAll(connection)),
    verifications: always(prepareVerifications(connection)),
    records: always(prepareRecords(connection)),
    storedFiles: always(prepareStoredFiles(connection)),
    queue: always(prepareDeliveryQueue(connection)),
    attempts: always(prepareAttempts(connection)),
  }
}

/** Prepares the methods of accounts. They take the writer first. */
function prepareAccountGroups(
  connection: Connection,
  { longWrites, snapshots }: { longWrites: LongWrites<Bulk>; snapshots: SnapshotReader },
  run: UnitsOfWork,
): (writer: Writer) => AccountGroups<void> {
  const longReads = { snapshots, runStep: createStepQueue() }
  const countAttached = prepareCountAttached(connection)
  const findBulkJob = (account: string, id: string) =>
    connection.execute(STATEMENTS.findBulkJob, { account, id })
  const groups = {
    uploads: prepareUploads(connection),
    uploadList: prepareUploadList(connection, longReads),
    completion: prepareCompletion(connection),
    assets: prepareAssets(connection),
    assetList: prepareAssetList(connection, longReads),
    trash: prepareTrash(connection),
    trashList: prepareTrashList(connection, longReads),
    folderList: prepareFolderList(connection, longReads),
    folderMoves: prepareFolderMoves(connection),
    bulkJobs: prepareBulkJobs(connection),
    versions: prepareVersions(connection),
    orderList: prepareOrderList(longReads),
    productList: prepareProductList(connection, longReads),
    productGroups: prepareProductGroups(connection, longReads),
    tags: prepareTags(connection),
    attachments: prepareAttachments(connection),
    attachedRows: prepareAttachedRows(connection),
    keys: prepareKeys(connection),
    uploadTokens: prepareUploadTokens(connection),
    once: prepareOnce(connection),
    events: prepareEvents(connection, longReads.runStep),
    records: prepareRecords(connection),
    webhooks: prepareWebhooks(connection),
    deliveries: prepareDeliveries(connection),
  }
  return (writer) => ({
    ...bindGroups(groups, writer),
    bulk: bulkMethods(writer, { longWrites, countAttached, findBulkJob }, run.of(writer.account)),
  })
}

type Bulk = ReturnType<typeof prepareBulk>

function prepareBulk(connection: Connection) {
  return {
    ...prepareBulkTrash(connection),
    ...prepareBulkAttachments(connection),
    ...prepareBulkMoves(connection),
    ...prepareBulkTags(connection),
    ...prepareBulkProducts(connection),
    ...prepareArchives(connection),
    ...prepareNewBulkJobs(connection),
  }
}

/** About how many rows are written for an asset that is deleted, restored or moved, and for one that is attached. */
const ROWS_PER_ASSET = 4
const ROWS_PER_ATTACHMENT = 2
/** For each asset whose tags change, besides two rows for each of the tags. */
const ROWS_PER_TAGGED = 4
/** A row of a bulk job has the IDs of so many assets. It takes about as long as four other rows. */
const ASSETS_PER_BULK_ROW = 10
/** A segment of an archive takes about as long as so many other rows. */
const ROWS_PER_SEGMENT = 20

function bulkMethods(
  writer: Writer,
  {
    longWrites,
    countAttached,
    findBulkJob,
  }: {
    longWrites: LongWrites<Bulk>
    countAttached: ReturnType<typeof prepareCountAttached>
    findBulkJob: (account: string, id: string) => BulkJob | undefined
  },
  { read, ownTransaction, ownFreeTransaction }: Omit<UnitsOfWork, 'of'>,
): BulkMethods {
  const { account } = writer
  const write = <Result>(rows: number, work: (bulk: Bulk) => Steps<Result>) =>
    ownTransaction(() => longWrites.run(account, rows, work))
  const free = <Result>(rows: number, work: (bulk: Bulk) => Steps<Result>) =>
    ownFreeTransaction(() => longWrites.run(account, rows, work))
  return {
    trashAssets: (ids) =>
      free(ids.length * ROWS_PER_ASSET, (bulk) => bulk.trashAssets(writer, ids)),
    deleteAssets: (ids, isFromTrash) =>
      free(ids.length * ROWS_PER_ASSET, (bulk) => bulk.deleteAssets(writer, ids, isFromTrash)),
    restoreAssets: (ids) =>
      write(ids.length * ROWS_PER_ASSET, (bulk) => bulk.restoreAssets(writer, ids)),
    attachAssets: (ids, selection) =>
      write(ids.length * ROWS_PER_ATTACHMENT, (bulk) => bulk.attachAssets(writer, ids, selection)),
    detachAssets: (ids, selection) =>
      write(ids.length * ROWS_PER_ATTACHMENT, (bulk) => bulk.detachAssets(writer, ids, selection)),
    moveAssets: (ids, path) =>
      write(ids.length * ROWS_PER_ASSET, (bulk) => bulk.moveAssets(writer, ids, path)),
    tagAssets: (ids, tags) =>
      write(ids.length * (ROWS_PER_TAGGED + 2 * tags.length), (bulk) =>
        bulk.tagAssets(writer, ids, tags),
      ),
    untagAssets: (ids, tags) =>
      write(ids.length * (ROWS_PER_TAGGED + 2 * tags.length), (bulk) =>
        bulk.untagAssets(writer, ids, tags),
      ),
    addBulkJob: (job, ids) =>
      free(Math.ceil(ids.length / ASSETS_PER_BULK_ROW), (bulk) =>
        bulk.addBulkJob(writer, job, ids),
      ),
    async undoBulkJob(id, undo) {
      const found = await read(() => findBulkJob(account, id))
      const rows = Math.ceil((found?.changed ?? 0) / ASSETS_PER_BULK_ROW)
      return free(rows, (bulk) => bulk.undoBulkJob(writer, id, undo))
    },
    addArchive: (archive, limits) =>
      write(archive.segments.length * ROWS_PER_SEGMENT, (bulk) =>
        bulk.addArchive(writer, archive, limits),
      ),
    async putProducts(products, { isCopy } = { isCopy: false }) {
      const folded = await foldProducts(products)
      const rows = folded.reduce((sum, { searchTags }) => sum + 1 + searchTags.length, 0)
      return write(rows, (bulk) => bulk.putProducts({ ...writer, isCopy }, folded))
    },
    async continueProductDeletion(id) {
      const most = MAX_DETACHED_WITH_PRODUCT + 1
      const attached = await read(() => countAttached(account, id, most))
      const detached = attached === most ? DETACHED : attached
      return free(detached * ROWS_PER_ATTACHMENT, (bulk) => bulk.continueDeletion(writer, id))
    },
  }
}

type Bound<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (
    writer: Writer,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never
}

/** The groups without the writer, which their methods take first. The first call of a group creates its methods. */
function bindGroups<Groups extends Record<string, object>>(groups: Groups, writer: Writer) {
  const bind = (methods: object) => {
    let bound: object | undefined
    return () => {
      bound ??= Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [name, method.bind(undefined, writer)]),
      )
      return bound
    }
  }
  const entries = Object.entries(groups).map(([name, methods]) => [name, bind(methods)])
  return Object.fromEntries(entries) as { [Name in keyof Groups]: () => Bound<Groups[Name]> }
}

async function openFile(
  options: SqliteOptions,
  spareFile: SpareFile,
  { migrate = 'auto', report = () => {}, migrations = MIGRATIONS }: OpenOptions,
): Promise<DatabaseSync> {
  const { file, readOnly = false } = options
  if (readOnly || migrate === 'off') await requireMigratedFile(file, migrations)
  const database = readOnly ? connect(file, { readOnly }) : connectOnFullDisk(file, spareFile)
  try {
    if (!readOnly && migrate === 'auto') await migrateFile(database, report, migrations)
    disableBusyTimeout(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Connecting creates files, which fails on a full disk. It is then retried with the space of the spare file. */
function connectOnFullDisk(file: string, spareFile: SpareFile): DatabaseSync {
  try {
    return connect(file)
  } catch (error) {
    if (!spareFile.release()) throw error
    return connect(file)
  }
}
