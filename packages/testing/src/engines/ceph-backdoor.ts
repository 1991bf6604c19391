import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { CephEndpoint } from './ceph.ts'

const run = promisify(execFile)
/** Where Ceph's gateway stores the list of the parts of each open upload. */
const POOL = 'default.rgw.buckets.non-ec'

/**
 * Gives the upload `to` the same stored parts as the upload `from` of the same key. If `to` is then completed, `from` is
 * open and its parts are those of the object, as after the gateway was killed between storing an object and closing its
 * upload.
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

/** Removes the data of deleted objects and aborted uploads, which Ceph otherwise does some time later. */
export async function collectGarbage({ settings }: CephEndpoint): Promise<void> {
  await run('radosgw-admin', ['-c', settings, 'gc', 'process', '--include-all'])
}
