import { COMMAND } from '@stowage/testing/service/stowage-command'
import type { Scene } from '../workload.ts'
import { type Command, type ServerProcess, startServer } from './server-process.ts'

export const API = '/api/v1'

/** More than any run reserves. */
const PLAN = '1PB'

/** `stowage serve` in a folder of its own, as people start it. */
export async function startStowage(
  scene: Scene,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const folder = settings.STOWAGE_DATA ?? (await scene.folder())
  const server = await startServer(serveCommand({ STOWAGE_DATA: folder, ...settings }))
  scene.defer(() => server.stop())
  return server
}

export function serveCommand(settings: Record<string, string>): Command {
  const isDisk = settings.STOWAGE_STORAGE === undefined
  const storagePort = isDisk ? { STOWAGE_STORAGE_PORT: '0' } : {}
  return {
    command: process.execPath,
    words: [COMMAND, 'serve'],
    env: { STOWAGE_PLAN_STORAGE: PLAN, STOWAGE_PORT: '0', ...storagePort, ...settings },
  }
}
