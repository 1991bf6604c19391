import { once } from 'node:events'
import { spawnService } from '@stowage/testing/service/service-process'
import type { Environment } from '../../src/config/config.ts'

export interface FailedStart {
  code: number | null
  stdout: string
  stderr: string
}

/** `stowage serve` with settings that keep it from starting. One that starts is an error. */
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
  // Unlike "exit", it comes after everything that was written.
  const [code] = await once(child, 'close')
  if (stdout.includes('is ready')) throw new Error(`it started: ${stdout}`)
  return { code, stdout, stderr }
}
