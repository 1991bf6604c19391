import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensureInstalled } from '../machine/ensure-installed.ts'
import { freePort } from '../machine/free-port.ts'
import { until } from '../machine/until.ts'
import { isResponding, type Launch, restartable, startS3Daemons } from './s3-daemons.ts'
import type { S3Server } from './s3-server.ts'
import { SWIFT_RINGS, SWIFT_STORES, swiftSettings } from './swift-settings.ts'

const run = promisify(execFile)
/** Swift's own authentication names its users `account:user`. */
const CREDENTIALS = { accessKeyId: 'test:tester', secretAccessKey: 'testsecretkey0123456789' }

/**
 * Returns why Swift is unavailable, or undefined if it is installed. If it is missing and the process runs as root on
 * Debian, this function installs it.
 */
export function missingForSwift(): Promise<string | undefined> {
  return ensureInstalled('swift-proxy-server')
}

/** Starts OpenStack Swift with its S3 API, in a temporary folder, on loopback. */
export function startSwift(): Promise<S3Server> {
  return startS3Daemons('swift', startDaemons)
}

/** Starts separate daemons with their own ports and settings, not those that Debian starts. */
async function startDaemons(folder: string, launch: Launch): Promise<Omit<S3Server, 'close'>> {
  const settings = join(folder, 'etc')
  await mkdir(settings)
  await mkdir(join(folder, 'srv', 'd1'), { recursive: true })
  const [proxy, memory] = [await freePort(), await freePort()]
  const [account, container, object] = [await freePort(), await freePort(), await freePort()]
  const ports = { proxy, memory, account, container, object }
  const user = userInfo().username
  const { accessKeyId: accessKey, secretAccessKey: secret } = CREDENTIALS
  const files = swiftSettings({ folder, user, ports, accessKey, secret })
  for (const [name, text] of Object.entries(files)) await writeFile(join(settings, name), text)
  const kindsAndPorts = SWIFT_STORES.map((kind) => `${kind}=${ports[kind]}`)
  // Debian's Python, because Debian installs Swift for it.
  await run('/usr/bin/python3', ['-c', SWIFT_RINGS, ...kindsAndPorts], { cwd: settings })

  const server = (kind: string) =>
    launch(`swift-${kind}-server`, join(settings, `${kind}-server.conf`))
  launch('memcached', '-u', user, '-l', '127.0.0.1', '-p', `${memory}`, '-U', '0', '-m', '32')
  for (const kind of SWIFT_STORES) server(kind)

  const endpoint = `http://127.0.0.1:${proxy}`
  const gateway = restartable(
    () => server('proxy'),
    () => waitForResponse(proxy),
  )
  for (const kind of SWIFT_STORES) await waitForResponse(ports[kind])
  await waitForResponse(proxy)
  return {
    endpoint,
    region: 'us-east-1',
    credentials: CREDENTIALS,
    ...gateway,
  }
}

/** The parts that uploads left in a bucket, listed with Swift's native API because S3 does not show them. */
export async function listSegments(server: S3Server, { url }: { url: string }): Promise<string[]> {
  const { accessKeyId, secretAccessKey } = server.credentials
  const headers = { 'X-Auth-User': accessKeyId, 'X-Auth-Key': secretAccessKey }
  const login = await fetch(`${server.endpoint}/auth/v1.0`, { headers })
  const account = login.headers.get('x-storage-url')
  const bucket = new URL(url).pathname
  const list = await fetch(`${account}${bucket}+segments`, {
    headers: { 'X-Auth-Token': login.headers.get('x-auth-token') ?? '' },
  })
  return (await list.text()).split('\n').filter((name) => name !== '')
}

async function waitForResponse(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/healthcheck`
  await until(`Swift responds on port ${port}`, () => isResponding(url), 60_000)
}
