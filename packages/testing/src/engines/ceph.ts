import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { ensureInstalled } from '../machine/ensure-installed.ts'
import { freePort } from '../machine/free-port.ts'
import { until } from '../machine/until.ts'
import { cephSettings } from './ceph-settings.ts'
import { isResponding, type Launch, restartable, startS3Daemons } from './s3-daemons.ts'
import type { S3Endpoint, S3Server } from './s3-server.ts'

const run = promisify(execFile)
const REGION = 'us-east-1'
const CREDENTIALS = { accessKeyId: 'testaccesskey', secretAccessKey: 'testsecretkey0123456789' }

/**
 * Returns why Ceph is unavailable, or undefined if it is installed. If it is missing and the process runs as root on
 * Debian, this function installs it.
 */
export function missingForCeph(): Promise<string | undefined> {
  return ensureInstalled('radosgw')
}

export interface CephEndpoint extends S3Endpoint {
  /** The path of ceph.conf, for Ceph's own tools. */
  settings: string
}

/** Starts Ceph's S3 gateway with an in-memory store, on loopback, with one user who has these credentials. */
export function startCeph(credentials = CREDENTIALS): Promise<S3Server & CephEndpoint> {
  return startS3Daemons('ceph', (...started) => startDaemons(credentials, ...started))
}

/** The gateway that the environment names, or a new one, which closes after all tests of the process. */
export async function aCephServer(): Promise<CephEndpoint> {
  const { STOWAGE_TEST_S3: endpoint, STOWAGE_TEST_CEPH: settings = '' } = process.env
  if (endpoint !== undefined) {
    return { endpoint, region: REGION, credentials: CREDENTIALS, settings }
  }
  const server = await startCeph()
  after(() => server.close())
  return server
}

/** Fails with the reason when a daemon does not start. */
async function startDaemons(
  credentials: S3Server['credentials'],
  folder: string,
  launch: Launch,
): Promise<Omit<S3Server, 'close'> & CephEndpoint> {
  for (const name of ['mon', 'osd', 'rgw', 'out', 'crash']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'keyring'), '')
  const [monitorV1, monitorV2, port] = [await freePort(), await freePort(), await freePort()]
  const cluster = randomUUID()
  const settings = join(folder, 'ceph.conf')
  await writeFile(settings, cephSettings({ folder, cluster, monitorV1, monitorV2, port }))

  const daemon = (command: string, ...options: string[]) =>
    launch(command, ...options, '-c', settings, '-f')
  const map = join(folder, 'monmap')
  const addresses = `[v2:127.0.0.1:${monitorV2},v1:127.0.0.1:${monitorV1}]`
  await run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', addresses, map])
  await run('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', map, '-c', settings])
  daemon('ceph-mon', '-i', 'a')
  const disk = randomUUID()
  await run('ceph', ['-c', settings, 'osd', 'new', disk], { timeout: 60_000 })
  await run('ceph-osd', ['-i', '0', '--mkfs', '--osd-uuid', disk, '-c', settings])
  daemon('ceph-osd', '-i', '0')
  await until('the storage is up', async () => {
    const { stdout } = await run('ceph', ['-c', settings, 'osd', 'stat'], { timeout: 20_000 })
    return stdout.includes('1 up')
  })
  const { accessKeyId, secretAccessKey } = credentials
  const user = ['--uid=test', '--display-name=Test', `--access-key=${accessKeyId}`]
  const secret = `--secret-key=${secretAccessKey}`
  await run('radosgw-admin', ['-c', settings, 'user', 'create', ...user, secret])

  const endpoint = `http://127.0.0.1:${port}`
  const waitForResponse = () => until('the gateway responds', () => isResponding(endpoint), 60_000)
  const gateway = restartable(() => daemon('radosgw', '-n', 'client.rgw.test'), waitForResponse)
  await waitForResponse()
  return { endpoint, region: REGION, credentials, settings, ...gateway }
}
