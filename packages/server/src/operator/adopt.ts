import { type Config, usesDataFolder } from '../config/config.ts'
import { openDatabase, openStorageContents, requireDatabase } from '../engines/open-engines.ts'
import { findKeyProblem, replaceSecretKey } from '../engines/secret-key.ts'
import { findMismatch, rebindStorage } from '../engines/storage-binding.ts'
import { lockDataFolder } from '../process/data-folder.ts'

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
    const database = await openDatabase(config, { migrate: 'off' })
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
