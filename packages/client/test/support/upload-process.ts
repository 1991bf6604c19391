import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cleanUp } from '@stowage/testing/machine/clean-up'

/** What such a process is started with. */
export interface UploadOrder {
  baseUrl: string
  path: string
  stateFolder: string
  /** Where it runs. */
  folder: string
}

export interface UploadProcess {
  pid: number
  child: ChildProcess
  /** The asset's id, once it has ended well. */
  ended: Promise<string>
}

const PROGRAM = fileURLToPath(new URL('upload-program.ts', import.meta.url))

/** A client in a process of its own, which uploads one file. */
export function startUploadProcess(t: TestContext, order: UploadOrder): UploadProcess {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
    cwd: order.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Unlike "exit", it comes after everything that was written.
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
    if (code !== 0) throw new Error(`it ended with ${code ?? signal}: ${output}`)
    return output.trim()
  })
  ended.catch(() => {})
  return { child, pid: child.pid ?? 0, ended }
}
