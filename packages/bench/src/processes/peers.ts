import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import { CACHE_FOLDER } from './cache.ts'
import { type Command, type ServerProcess, startServer } from './server-process.ts'

const run = promisify(execFile)
const SOURCE = fileURLToPath(new URL('../../peers', import.meta.url))
const FOLDER = join(CACHE_FOLDER, 'bench-peers')

/** Installs the dependencies of the programs in `peers/`, and starts one of them. */
export async function startPeer(
  context: WorkloadContext,
  name: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const server = await startServer(await peerCommand(name, env))
  context.defer(() => server.stop())
  return server
}

export async function peerCommand(
  name: string,
  env: Record<string, string> = {},
): Promise<Command> {
  await installPeers()
  return { command: process.execPath, args: [join(FOLDER, `${name}.js`)], env }
}

let installing: Promise<void> | undefined

/** Installs into a cache, on demand: `npm ci` does not install the peers. */
function installPeers(): Promise<void> {
  installing ??= install()
  return installing
}

async function install(): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const wanted = await readFile(join(SOURCE, 'package.json'), 'utf8')
  const stamp = join(FOLDER, 'installed.json')
  const isInstalled = (await readFile(stamp, 'utf8').catch(() => '')) === wanted
  // Programs and packages are in one folder, so that Node finds the packages.
  await cp(SOURCE, FOLDER, { recursive: true })
  if (isInstalled) return
  progress('installing the peers (only the first time)')
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER })
  await writeFile(stamp, wanted)
}
