import type { TestContext } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import type { StorageBackdoor } from '../engines/storage-backdoor.ts'
import { testEngines } from '../engines/test-engines.ts'
import { aFolder, aFolderInMemory } from '../machine/clean-up.ts'

/** The data of a service. A service that is started with these settings uses the same data. */
export interface Deployment {
  folder: string
  settings: Environment
  backdoor: StorageBackdoor
}

/**
 * An empty folder, database and storage, on the engines that the suite runs on. With `isReliable`, the test
 * cannot make S3 unavailable, and large transfers are faster. With `isInMemory`, the data is in memory
 * where that is possible.
 */
export async function aDeployment(
  t: TestContext,
  { isReliable = false, isInMemory = false } = {},
): Promise<Deployment> {
  const folder = await (isInMemory ? aFolderInMemory(t) : aFolder(t))
  const { settings, backdoor } = await testEngines(t, folder, { isReliable })
  return { folder, settings: { STOWAGE_DATA: folder, ...settings }, backdoor }
}
