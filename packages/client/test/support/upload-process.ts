import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cleanUp } from '@stowage/testing/machine/clean-up'

/** The arguments of the process. */
export interface UploadArguments {
  baseUrl: string
  path: string
  stateFolder: string
  /** The working folder. */
  folder: string
}

export interface UploadProcess {
  pid: number
  child: ChildProcess
  /** Resolves with the ID of the asset when the process succeeds. */
  ended: Promise<string>
}

const PROGRAM = fileURLToPath(new URL('upload-program.ts', import.meta.url))

/** Starts a process that uploads one file. */
export function startUploadProcess(
  t: TestContext,
  uploadArguments: UploadArguments,
): UploadProcess {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(uploadArguments)], {
    cwd: uploadArguments.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Unlike "exit", this event comes after all output.
  const exited = once(child, 'close')
  cleanUp(t, async () => {
    child.kill('SIGKILL')
    await exited
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const ended = exited.then(([code, signal]) => {
    if (code !== 0) throw new Error(`the upload process ended with ${code ?? signal}: ${output}`)
    return output.trim()
  })
  ended.catch(() => {})
  return { child, pid: child.pid ?? 0, ended }
}
