import type { TestContext } from 'node:test'
import { aFolder } from './clean-up.ts'
import { aServiceProcess, type ServiceProcess } from './process.ts'

export interface ProcessWithFolder extends ServiceProcess {
  folder: string
}

/** `stowage serve` on a folder of its own, which goes after the process. */
export async function aProcessWithFolder(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<ProcessWithFolder> {
  const folder = await aFolder(t)
  return { ...(await aServiceProcess(t, { STOWAGE_DATA: folder, ...settings })), folder }
}
