import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { CephEndpoint } from './ceph.ts'

const run = promisify(execFile)
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
