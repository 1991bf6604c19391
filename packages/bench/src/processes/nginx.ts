import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../server/test/support/free-port.ts'
import { installed } from '../../../server/test/support/installed.ts'
import type { Scene } from '../workload.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export interface Nginx extends ServerProcess {
  /** Where PUT puts files. */
  folder: string
  /** The process that listens and those that work. */
  pids: number[]
}

/** nginx with DAV's PUT into a folder. */
export async function startNginx(scene: Scene): Promise<Nginx> {
  const reason = await installed({ command: 'nginx', packages: ['nginx-light'] })
  if (reason !== undefined) throw new Error(reason)
  const prefix = await scene.folder()
  const port = await freePort()
  for (const name of ['files', 'incoming']) await mkdir(join(prefix, name))
  await writeFile(join(prefix, 'nginx.conf'), settings(prefix, port))
  const words = ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', join(prefix, 'error.log')]
  const server = await startServer({ name: 'nginx', command: 'nginx', words, port })
  // Politely: killed, it would leave its workers behind.
  const stop = async () => {
    process.kill(server.pid, 'SIGTERM')
    await server.ended
  }
  scene.defer(stop)
  const workers = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
  const pids = [server.pid, ...workers.trim().split(' ').map(Number)]
  return { ...server, stop, folder: join(prefix, 'files'), pids }
}

/** The bodies come in on the same disk, so that they are renamed into place. */
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
  }
}
`
}
