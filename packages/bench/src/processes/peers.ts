import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '@stowage/testing/machine/ports'
import { ensureInstalled } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import {
  type Command,
  type ServerProcess,
  spawnServer,
  startServer,
  stopProcess,
} from './servers.ts'

/** The folder for files that are slow to create and can be created again. */
export const CACHE_FOLDER = fileURLToPath(
  new URL('../../../../node_modules/.cache/stowage', import.meta.url),
)

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

interface Nginx {
  url: string
  /** Where PUT stores files. */
  folder: string
  /** The master process and its workers. */
  pids: number[]
}

/** nginx that stores PUT requests in a folder (WebDAV module), and sends its files with sendfile. */
export async function startNginx(context: WorkloadContext): Promise<Nginx> {
  const reason = await ensureInstalled('nginx')
  if (reason !== undefined) throw new Error(reason)
  const prefix = await context.folder()
  const port = await freePort()
  for (const name of ['files', 'incoming']) await mkdir(join(prefix, name))
  await writeFile(join(prefix, 'nginx.conf'), settings(prefix, port))
  const args = ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', join(prefix, 'error.log')]
  const child = spawnServer({ command: 'nginx', args })
  // After a SIGKILL, nginx's workers would keep running.
  context.defer(() => stopProcess(child, 'SIGTERM'))
  const url = `http://127.0.0.1:${port}`
  // Another program may have taken the port: only this nginx responds with this folder.
  await until('nginx responds', async () => {
    if (child.process.exitCode !== null) throw new Error(`nginx exited: ${child.errors()}`)
    return (await readText(`${url}/prefix`)) === prefix
  })
  const pid = child.process.pid ?? 0
  const workers = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return {
    url,
    folder: join(prefix, 'files'),
    pids: [pid, ...workers.trim().split(' ').map(Number)],
  }
}

async function readText(url: string): Promise<string | undefined> {
  try {
    return await (await fetch(url)).text()
  } catch {
    return undefined
  }
}

/** Bodies are received on the same disk, so that nginx renames them instead of copying. */
function settings(prefix: string, port: number): string {
  return `
daemon off;
worker_processes auto;
pid ${prefix}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  client_max_body_size 0;
  client_body_temp_path ${prefix}/incoming;
  proxy_temp_path ${prefix}/incoming;
  fastcgi_temp_path ${prefix}/incoming;
  uwsgi_temp_path ${prefix}/incoming;
  scgi_temp_path ${prefix}/incoming;
  server {
    listen 127.0.0.1:${port};
    root ${prefix}/files;
    location / { dav_methods PUT; }
    location = /prefix { return 200 '${prefix}'; }
  }
}
`
}
