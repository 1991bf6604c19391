import type { AssetStatus } from '../domain/asset.ts'

/** The status, or `resized` where an unfinished upload has another size than the one expected. */
export function statusOrResized(
  row: { status: AssetStatus; bytes: number } | undefined,
  expectedBytes: number | undefined,
): AssetStatus | 'resized' | undefined {
  if (row === undefined || row.bytes === (expectedBytes ?? row.bytes)) return row?.status
  return row.status === 'uploading' || row.status === 'completing' ? 'resized' : row.status
}
