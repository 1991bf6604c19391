import { once } from 'node:events'
import { spawnService } from '@stowage/testing/service/service-process'
import type { Environment } from '../../src/config/config.ts'

export interface FailedStart {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `stowage serve` with settings that must prevent it from starting. Throws if it starts. */
export async function aFailedStart(settings: Environment): Promise<FailedStart> {
  const child = spawnService(settings)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
    if (stdout.includes('is ready')) child.kill('SIGKILL')
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  // Unlike "exit", "close" is emitted after all output was read.
  const [code] = await once(child, 'close')
  if (stdout.includes('is ready')) throw new Error(`the service started: ${stdout}`)
  return { code, stdout, stderr }
}
