/** Subsystems that otherwise write many messages into a log in memory, which nobody reads. */
const QUIET = [
  ...['auth', 'crush', 'filestore', 'finisher', 'heartbeatmap', 'mgrc', 'mon', 'monc', 'ms'],
  ...['objclass', 'objecter', 'optracker', 'osd', 'paxos', 'perfcounter', 'rados', 'rgw'],
  ...['rocksdb', 'timer', 'tp'],
]

/** One monitor, one in-memory store and one gateway, on loopback, without authentication between them. */
export function cephSettings(facts: {
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
osd_objectstore = memstore
memstore_device_bytes = ${process.env.CEPH_MEMORY ?? 4 * 2 ** 30}
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
