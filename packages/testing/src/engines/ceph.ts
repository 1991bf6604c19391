import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../machine/ports.ts'
import { ensureInstalled } from '../machine/programs.ts'
import { until } from '../machine/until.ts'
import {
  isResponding,
  type Launch,
  restartable,
  type S3Endpoint,
  type S3Server,
  startS3Daemons,
} from './s3-server.ts'

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

interface CephEndpoint extends S3Endpoint {
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

/** Where Ceph's gateway stores the list of the parts of each open upload. */
const POOL = 'default.rgw.buckets.non-ec'

/**
 * Gives the upload `to` the stored parts of the upload `from`, which has the same key. After `to` is completed, `from`
 * is still open, and the object consists of the parts of `from`. A gateway that is killed after it has stored an object
 * and before it closes the upload leaves the same state.
 */
export async function shareParts(
  { settings }: CephEndpoint,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const rados = (...words: string[]) => run('rados', ['-c', settings, '-p', POOL, ...words])
  const names = (await rados('ls')).stdout.split('\n')
  const listOf = (uploadId: string) =>
    names.find((name) => name.endsWith(`.${uploadId}.meta`)) ?? ''
  await rados('cp', listOf(from), listOf(to))
}

/** Removes the data of deleted objects and aborted uploads now. Otherwise, Ceph removes it some time later. */
export async function collectGarbage({ settings }: CephEndpoint): Promise<void> {
  await run('radosgw-admin', ['-c', settings, 'gc', 'process', '--include-all'])
}

/** Subsystems that otherwise write many messages into a log in memory, which nobody reads. */
/** In memory, unless the data is larger: `CEPH_DISK` is the size of a file in the folder of the cluster. */
const STORE =
  process.env.CEPH_DISK === undefined
    ? `osd_objectstore = memstore
memstore_device_bytes = ${process.env.CEPH_MEMORY ?? 4 * 2 ** 30}`
    : `osd_objectstore = bluestore
bluestore_block_size = ${process.env.CEPH_DISK}`

const QUIET = [
  ...['auth', 'crush', 'filestore', 'finisher', 'heartbeatmap', 'mgrc', 'mon', 'monc', 'ms'],
  ...['objclass', 'objecter', 'optracker', 'osd', 'paxos', 'perfcounter', 'rados', 'rgw'],
  ...['rocksdb', 'timer', 'tp'],
]

/** One monitor, one in-memory store and one gateway, on loopback, without authentication between them. */
function cephSettings(facts: {
  folder: string
  cluster: string
  /** The ports of the monitor, one for each version of its protocol. */
  monitorV1: number
  monitorV2: number
  port: number
}): string {
  const { folder, cluster, monitorV1, monitorV2, port } = facts
  return `[global]
fsid = ${cluster}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
auth_supported = none
mon_initial_members = a
mon_host = [v2:127.0.0.1:${monitorV2},v1:127.0.0.1:${monitorV1}]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
run_dir = ${folder}/out
admin_socket = ${folder}/out/$name.$pid.asok
pid_file = ${folder}/out/$name.pid
log_file = ${folder}/out/$name.log
crash_dir = ${folder}/crash
keyring = ${folder}/keyring
log_to_syslog = false
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_max_pg_per_osd = 1000
# Without crc mode, the gateway hangs if authentication is none.
ms_mon_client_mode = crc
ms_cluster_mode = crc
ms_service_mode = crc
ms_client_mode = crc
paxos_propose_interval = 0.05
${QUIET.map((name) => `debug_${name} = 0/0`).join('\n')}

[mon]
mon_data = ${folder}/mon
mon_data_avail_crit = 1
mon_data_avail_warn = 1

[osd]
osd_data = ${folder}/osd
osd_journal = ${folder}/osd/journal
${STORE}
osd_class_load_list = *
osd_class_default_list = *
osd_max_object_name_len = 460
osd_max_object_namespace_len = 64
osd_memory_target = 939524096
osd_op_num_shards = 2
osd_enable_op_tracker = false

[client.rgw.test]
rgw_data = ${folder}/rgw
# Without tcp_nodelay every call on a reused connection stalls for about 40 ms.
rgw_frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw_enable_apis = s3, admin
rgw_thread_pool_size = 32
rgw_run_sync_thread = false
# By default, the index of a bucket has eleven shards, and every list reads all of them.
rgw_override_bucket_index_max_shards = 1
rgw_dynamic_resharding = false
# Small parts, so that tests need not send megabytes.
rgw_multipart_min_part_size = 1
# By default, the gateway keeps the data of deleted objects for two hours.
rgw_gc_obj_min_wait = 5
rgw_gc_processor_period = 5
rgw_gc_processor_max_time = 5
# Each run of the garbage collection reads every one of these queues, by default 32.
rgw_gc_max_objs = 2
# If the gateway is killed while it completes an upload, the upload stays locked, by default for 10 minutes.
rgw_mp_lock_max_time = 5
`
}
