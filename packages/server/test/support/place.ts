import type { TestContext } from 'node:test'
import type { Environment } from '../../src/config/config.ts'
import { aFolder } from './clean-up.ts'
import { testEngines } from './engines.ts'
import type { StorageBackdoor } from './in-storage.ts'

/** Where a service has its data: whoever is started with the settings goes on with them. */
export interface Place {
  folder: string
  settings: Environment
  backdoor: StorageBackdoor
}

/**
 * A folder, a database and a storage with nothing in them, on the engines that the suite runs on.
 * A storage that is reliable can't be taken away, and many bytes go there faster.
 */
export async function aPlace(t: TestContext, { isReliable = false } = {}): Promise<Place> {
  const folder = await aFolder(t)
  const { settings, backdoor } = await testEngines(t, folder, { isReliable })
  return { folder, settings: { STOWAGE_DATA: folder, ...settings }, backdoor }
}
