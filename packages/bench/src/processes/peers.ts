import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { progress } from '../progress.ts'
import type { Scene } from '../workload.ts'
import { CACHE } from './cache.ts'
import { type Command, type ServerProcess, startServer } from './server-process.ts'

const run = promisify(execFile)
const SOURCE = fileURLToPath(new URL('../../peers', import.meta.url))
const FOLDER = join(CACHE, 'bench-peers')

/** One of `peers/*.js` as a process, with what it needs installed. */
export async function startPeer(
  scene: Scene,
  name: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const server = await startServer(await peerCommand(name, env))
  scene.defer(() => server.stop())
  return server
}

export async function peerCommand(
  name: string,
  env: Record<string, string> = {},
): Promise<Command> {
  await installPeers()
  return { command: process.execPath, words: [join(FOLDER, `${name}.js`)], env }
}

let installing: Promise<void> | undefined

/** Into a cache: who only works on the project never waits for them. */
function installPeers(): Promise<void> {
  installing ??= install()
  return installing
}

async function install(): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const wanted = await readFile(join(SOURCE, 'package.json'), 'utf8')
  const stamp = join(FOLDER, 'installed.json')
  const isThere = (await readFile(stamp, 'utf8').catch(() => '')) === wanted
  // The programs lie beside the packages, so that Node finds these by itself.
  await cp(SOURCE, FOLDER, { recursive: true })
  if (isThere) return
  progress('installing the peers, once')
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER })
  await writeFile(stamp, wanted)
}
