import { resolve } from 'node:path'
import { pino } from 'pino'
import { type Config, ConfigError, usesDataFolder } from '../config/config.ts'
import type { SecretKey } from '../crypto/secret-key.ts'
import { createUuids } from '../crypto/uuid.ts'
import {
  isDatabaseCreated,
  openDatabase,
  openDataFolder,
  openStorage,
} from '../engines/open-engines.ts'
import { openSecretKey, readKey } from '../engines/secret-key.ts'
import { bindStorage } from '../engines/storage-binding.ts'
import type { MoveProgress, MoveResult } from '../move/move.ts'
import { moveService } from '../move/move-service.ts'
import { lockDataFolder } from '../process/data-folder.ts'

export interface MoveOptions {
  /** The data folder of a service on SQLite and disk. */
  from: string
  ahead: boolean
  verify: boolean
  skipDamaged: boolean
  onProgress: (progress: MoveProgress) => void
}

/** Moves the service of a data folder to the configured database and storage. */
export async function move(config: Config, options: MoveOptions): Promise<MoveResult> {
  const { from, ...rest } = options
  const folder = resolve(from)
  refuseSame(config, folder)
  const closers: (() => Promise<void> | void)[] = []
  try {
    const source = await openDataFolder(folder)
    closers.push(() => source.database.close())
    if (!options.ahead) {
      const advice = 'or copy its files in advance while it runs, with --ahead'
      const lock = await lockDataFolder(folder, { advice })
      closers.push(() => lock.close())
      await lock.describe({ pid: process.pid, name: 'stowage move', since: clock() })
    }
    const target = await openTarget(config, closers)
    const secretKey = await readSourceKey(config, source)
    return await moveService({
      ...rest,
      from: folder,
      source: { ...source, secretKey },
      target,
      clock,
      newId: createUuids(),
    })
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

const clock = () => new Date()

async function openTarget(config: Config, closers: (() => Promise<void> | void)[]) {
  if (usesDataFolder(config)) {
    const lock = await lockDataFolder(config.dataDirectory)
    closers.push(() => lock.close())
  }
  // Only a new database is created here. Migrating an existing one is up to its operator.
  const isCreated = await isDatabaseCreated(config)
  const database = await openDatabase(config, { migrate: isCreated ? 'off' : 'auto' })
  closers.push(() => database.close())
  const logger = pino({ level: 'silent' })
  const storage = await openStorage({
    config: onFreePort(config),
    clock,
    logger,
    onFatal: () => {},
  })
  closers.push(() => storage.close())
  await bindStorage({ database, storage })
  const secretKey = await openSecretKey({ database, storage, configured: config.secretKey })
  return { database, storage, chunkSize: config.chunkSize, secretKey }
}

/** The key in the source, or the configured one, if the source was configured with it, too. */
async function readSourceKey(
  { secretKey }: Config,
  { contents }: Awaited<ReturnType<typeof openDataFolder>>,
): Promise<SecretKey | undefined> {
  const stored = await readKey({ storage: contents, configured: undefined })
  return stored ?? readKey({ storage: contents, configured: secretKey })
}

/** The move sends the parts to the disk storage itself, whatever uses the configured port and URL. */
export function onFreePort(config: Config): Config {
  const { storage } = config
  if (storage.kind === 's3') return config
  return { ...config, host: '127.0.0.1', storage: { ...storage, port: 0, url: undefined } }
}

function refuseSame(config: Config, folder: string): void {
  if (config.dataDirectory !== folder || !usesDataFolder(config)) return
  throw new ConfigError([
    'STOWAGE_DATA: source and target are the same folder; set STOWAGE_DATABASE and STOWAGE_STORAGE to the target',
  ])
}
