import type { TestContext } from 'node:test'
import { openService, type Service } from '@stowage/server/src/compose'
import { type Environment, readConfig } from '@stowage/server/src/config/config'
import { pino } from 'pino'
import { cleanUp } from '../machine/clean-up.ts'

/** Starts the service on SQLite and disk, regardless of the engines that the suite runs on. */
export async function anEmbeddedService(
  t: TestContext,
  settings: Environment & { STOWAGE_DATA: string },
): Promise<Service> {
  const defaults = { STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0', STOWAGE_CHECKSUMS: 'off' }
  const service = await openService({
    config: readConfig({ ...defaults, ...settings }),
    logger: pino({ level: 'silent' }),
    version: '0.0.0-test',
    onFatal(message) {
      throw new Error(message)
    },
  })
  cleanUp(t, () => service.close())
  return service
}
