import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureInstalled } from '@stowage/testing/machine/ensure-installed'
import { freePort } from '@stowage/testing/machine/free-port'
import { until } from '@stowage/testing/machine/until'
import type { WorkloadContext } from '../workload.ts'
import { spawnServer, stopProcess } from './server-process.ts'

export interface Nginx {
  url: string
  /** Where PUT stores files. */
  folder: string
  /** The master process and its workers. */
  pids: number[]
}

/** nginx that stores PUT requests in a folder (WebDAV module). */
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
