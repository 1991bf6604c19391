import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter } from 'node:path'
import type { TestContext } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'

/** The environment of somebody who has this Node first on the path, and no settings of ours. */
export function withNode(node: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(STOWAGE|NODE)_/.test(name))
  return { ...Object.fromEntries(others), PATH: `${node}${delimiter}${process.env.PATH}` }
}

/** `npx stowage serve` in the project. Returns its address; it ends with the test. */
export async function npxServe(
  t: TestContext,
  project: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const settings = { STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0', STOWAGE_CHUNK_SIZE: '1MB' }
  const child = spawn('npx', ['stowage', 'serve'], {
    cwd: project,
    env: { ...env, ...settings, STOWAGE_DATA: await aFolder(t) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, as npx does not hand signals on.
    detached: true,
  })
  // When npx has ended, the service may still run; its output is closed when both have.
  const ended = once(child, 'close')
  cleanUp(t, async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  })
  let said = ''
  const address = new Promise<string>((resolve, reject) => {
    const read = (text: Buffer) => {
      said += text
      const found = /Service\s+(\S+)\s/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('close', (code) => reject(new Error(`it ended with code ${code}: ${said}`)))
  })
  return address
}
