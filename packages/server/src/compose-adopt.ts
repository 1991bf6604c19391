import { type Config, usesDataFolder } from './config/config.ts'
import { rebindStorage } from './identity/bind-storage.ts'
import { findMismatch } from './identity/find-mismatch.ts'
import { findKeyProblem, replaceSecretKey } from './identity/open-secret-key.ts'
import { lockDataFolder } from './lock-data-folder.ts'
import { openDatabase, openStorageContents } from './open-engines.ts'
import { requireDatabase } from './require-database.ts'

/** `mismatch` is the reason why database and storage do not belong together; undefined if neither is bound yet. */
export type ConfirmAdoption = (mismatch: string | undefined) => Promise<boolean>

/**
 * Binds the configured storage to the configured database, unless they already belong together. Changes
 * nothing unless `confirm` returns true. Throws if the database does not exist.
 */
export async function adopt(
  config: Config,
  confirm: ConfirmAdoption,
): Promise<'adopted' | 'unchanged' | 'declined'> {
  await requireDatabase(config)
  const closers: (() => Promise<void> | void)[] = []
  try {
    if (usesDataFolder(config)) {
      const lock = await lockDataFolder(config.dataDirectory)
      closers.push(() => lock.close())
    }
    const database = await openDatabase(config, { migrate: 'never' })
    closers.push(() => database.close())
    const storage = await openStorageContents({ config, clock: () => new Date() })
    closers.push(() => storage.close())
    const own = await database.readIdentity()
    const engines = { database, storage, configured: config.secretKey }
    const mismatch =
      findMismatch(own, await storage.readIdentity()) ?? (await findKeyProblem(engines))
    if (mismatch === undefined && own.storageId !== undefined) return 'unchanged'
    if (!(await confirm(mismatch))) return 'declined'
    await rebindStorage({ database, storage })
    if ((await findKeyProblem(engines)) !== undefined) await replaceSecretKey(engines)
    return 'adopted'
  } finally {
    for (const close of closers.reverse()) await close()
  }
}
