export interface SwiftFacts {
  folder: string
  /** The user that the daemons run as. */
  user: string
  ports: { proxy: number; account: number; container: number; object: number; memory: number }
}

/** The kinds of storage servers behind the proxy server. */
export const SWIFT_STORES = ['account', 'container', 'object'] as const

/** The configuration files by name. All servers listen on loopback only. */
export function swiftSettings(facts: SwiftFacts & { accessKey: string; secret: string }) {
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
export const SWIFT_RINGS = `
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
