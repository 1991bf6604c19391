import type { TestContext } from 'node:test'
import type { Environment } from '@stowage/server/src/config/config'
import type { StorageBackdoor } from '../engines/storage-backdoor.ts'
import { testEngines } from '../engines/test-engines.ts'
import { aFolder } from '../machine/clean-up.ts'

/** Where a service has its data: whoever is started with the settings goes on with them. */
export interface Deployment {
  folder: string
  settings: Environment
  backdoor: StorageBackdoor
}

/**
 * A folder, a database and a storage with nothing in them, on the engines that the suite runs on.
 * A storage that is reliable can't be taken away, and many bytes go there faster.
 */
export async function aDeployment(
  t: TestContext,
  { isReliable = false } = {},
): Promise<Deployment> {
  const folder = await aFolder(t)
  const { settings, backdoor } = await testEngines(t, folder, { isReliable })
  return { folder, settings: { STOWAGE_DATA: folder, ...settings }, backdoor }
}
