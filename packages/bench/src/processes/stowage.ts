import { COMMAND } from '@stowage/testing/service/stowage-command'
import type { WorkloadContext } from '../workload.ts'
import { type Command, type ServerProcess, startServer } from './server-process.ts'

export const API = '/api/v1'

/** More storage than any run needs. */
const PLAN = '1PB'

/**
 * Starts `stowage serve` as users start it, by default with a new data folder. `program` is the path of the CLI; by
 * default, that of this checkout.
 */
export async function startStowage(
  context: WorkloadContext,
  settings: Record<string, string> = {},
  program: string = COMMAND,
): Promise<ServerProcess> {
  const folder = settings.STOWAGE_DATA ?? (await context.folder())
  const server = await startServer(serveCommand({ STOWAGE_DATA: folder, ...settings }, program))
  context.defer(() => server.stop())
  return server
}

export function serveCommand(settings: Record<string, string>, program: string = COMMAND): Command {
  const isDisk = settings.STOWAGE_STORAGE === undefined
  const storagePort = isDisk ? { STOWAGE_STORAGE_PORT: '0' } : {}
  return {
    command: process.execPath,
    args: [program, 'serve'],
    env: { STOWAGE_PLAN_STORAGE: PLAN, STOWAGE_PORT: '0', ...storagePort, ...settings },
  }
}
