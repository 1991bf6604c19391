import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter } from 'node:path'

export interface Served {
  url: string
  stop(): Promise<void>
}

/** An environment with this Node first on the path, and without variables of Stowage and Node. */
export function withNode(node: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(STOWAGE|NODE)_/.test(name))
  return { ...Object.fromEntries(others), PATH: `${node}${delimiter}${process.env.PATH}` }
}

/** Runs `npx stowage serve` in the project with this data folder. */
export async function npxServe(
  project: string,
  env: NodeJS.ProcessEnv,
  dataFolder: string,
): Promise<Served> {
  const settings = { STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0', STOWAGE_CHUNK_SIZE: '1MB' }
  const child = spawn('npx', ['stowage', 'serve'], {
    cwd: project,
    env: { ...env, ...settings, STOWAGE_DATA: dataFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, because npx does not forward signals.
    detached: true,
  })
  // The service may run longer than npx. The output is closed when both have ended.
  const ended = once(child, 'close')
  async function stop(): Promise<void> {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (text: Buffer) => {
      output += text
      const found = /Dashboard\s+(\S+)\s/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('close', (code) => reject(new Error(`npx ended with code ${code}: ${output}`)))
  })
  return { url, stop }
}
