import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { aFolder, cleanUp } from '../machine/clean-up.ts'
import { listenOnFreePort } from '../machine/ports.ts'

const run = promisify(execFile)
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A certificate authority for tests. */
interface Authority {
  /** The file of its certificate. */
  file: string
  /** Issues a certificate. `names` are its alternative names, such as `DNS:localhost`. Returns the files. */
  issue(name: string, names: string, days?: number): Promise<{ cert: string; key: string }>
}

export async function anAuthority(t: TestContext): Promise<Authority> {
  const folder = await aFolder(t)
  const file = join(folder, 'ca.pem')
  const caKey = join(folder, 'ca.key')
  await openssl('req', '-x509', ...NEW_KEY, '-subj', '/CN=CA', '-keyout', caKey, '-out', file)
  return {
    file,
    async issue(name, names, days = 2) {
      const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`]
      const issuer = ['-CA', file, '-CAkey', caKey, '-days', String(days)]
      await openssl('req', '-x509', ...NEW_KEY, ...subject, ...issuer, '-keyout', key, '-out', cert)
      return { cert, key }
    },
  }
}

async function openssl(...words: string[]): Promise<void> {
  await run('openssl', words)
}

/**
 * Speaks TLS as a PostgreSQL server does, and forwards the decrypted bytes to a server that does not. With `clientCa`,
 * it requires a client certificate of this authority. With `stallAfterTls`, it never sends anything after the TLS
 * handshake has begun. Returns its port.
 */
export async function startTlsProxy(
  t: TestContext,
  target: number,
  options: { cert: string; key: string; clientCa?: string; stallAfterTls?: boolean },
): Promise<number> {
  const [cert, key] = [await readFile(options.cert), await readFile(options.key)]
  const ca = options.clientCa === undefined ? undefined : await readFile(options.clientCa)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.once('data', () => {
      // `S`: the server is willing to speak TLS.
      client.write('S')
      if (options.stallAfterTls) return
      const secure = new TLSSocket(client, {
        isServer: true,
        cert,
        key,
        ...(ca && { ca, requestCert: true, rejectUnauthorized: true }),
      })
      const upstream = connect(target, '127.0.0.1')
      sockets.add(upstream)
      for (const socket of [secure, upstream]) {
        socket.on('error', () => {
          secure.destroy()
          upstream.destroy()
        })
      }
      secure.pipe(upstream).pipe(secure)
    })
  })
  cleanUp(t, () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return listenOnFreePort(server)
}
