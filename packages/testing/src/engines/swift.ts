import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../machine/ports.ts'
import { ensureInstalled } from '../machine/programs.ts'
import { until } from '../machine/until.ts'
import {
  isResponding,
  type Launch,
  restartable,
  type S3Server,
  startS3Daemons,
} from './s3-server.ts'

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

interface SwiftFacts {
  folder: string
  /** The user that the daemons run as. */
  user: string
  ports: { proxy: number; account: number; container: number; object: number; memory: number }
}

/** The kinds of storage servers behind the proxy server. */
const SWIFT_STORES = ['account', 'container', 'object'] as const

/** The configuration files by name. All servers listen on loopback only. */
function swiftSettings(facts: SwiftFacts & { accessKey: string; secret: string }) {
  const stores = SWIFT_STORES.map((kind) => [`${kind}-server.conf`, storeSettings(facts, kind)])
  return {
    'swift.conf': SHARED,
    'proxy-server.conf': proxySettings(facts),
    ...(Object.fromEntries(stores) as Record<string, string>),
  }
}

/**
 * A Python script that writes the rings: everything is stored once, on one device. Each argument is a kind
 * and its port, and the rings are written to the working directory.
 */
const SWIFT_RINGS = `
import sys
from swift.common.ring import RingBuilder
for argument in sys.argv[1:]:
    kind, port = argument.split('=')
    builder = RingBuilder(0, 1, 1)
    builder.add_dev(dict(region=1, zone=1, device='d1', weight=1.0, meta='',
                         ip='127.0.0.1', port=int(port),
                         replication_ip='127.0.0.1', replication_port=int(port)))
    builder.rebalance()
    builder.get_ring().save(kind + '.ring.gz')
`

const SHARED = `[swift-hash]
swift_hash_path_suffix = test
swift_hash_path_prefix = test

[storage-policy:0]
name = Policy-0
default = yes
`

/** Without workers, each server is a single process, so that killing it ends the server. */
function common({ folder, user }: SwiftFacts, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user}
swift_dir = ${folder}/etc
# Nothing listens on this port, which keeps the servers' messages out of the system log.
log_udp_host = 127.0.0.1
log_udp_port = 9
`
}

function storeSettings(facts: SwiftFacts, kind: (typeof SWIFT_STORES)[number]): string {
  return `${common(facts, facts.ports[kind])}devices = ${facts.folder}/srv
mount_check = false
disable_fallocate = true
fallocate_reserve = 0

[pipeline:main]
pipeline = ${kind}-server

[app:${kind}-server]
use = egg:swift#${kind}
`
}

function proxySettings(facts: SwiftFacts & { accessKey: string; secret: string }): string {
  const { ports, accessKey, secret } = facts
  return `${common(facts, ports.proxy)}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:healthcheck]
use = egg:swift#healthcheck

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports.memory}

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:bulk]
use = egg:swift#bulk

[filter:s3api]
use = egg:swift#s3api
location = us-east-1
# Small parts, so that tests need not send megabytes.
min_segment_size = 1
max_upload_part_num = 10000

[filter:tempauth]
use = egg:swift#tempauth
user_${accessKey.replace(':', '_')} = ${secret} .admin

[filter:copy]
use = egg:swift#copy

[filter:slo]
use = egg:swift#slo

[filter:dlo]
use = egg:swift#dlo

[filter:versioned_writes]
use = egg:swift#versioned_writes
`
}
