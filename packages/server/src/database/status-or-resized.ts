import type { AssetStatus } from '../domain/asset.ts'

/** The status, or `resized` if the upload is unfinished and its size is not the expected one. */
export function statusOrResized(
  row: { status: AssetStatus; bytes: number } | undefined,
  expectedBytes: number | undefined,
): AssetStatus | 'resized' | undefined {
  if (row === undefined || row.bytes === (expectedBytes ?? row.bytes)) return row?.status
  return row.status === 'uploading' || row.status === 'completing' ? 'resized' : row.status
}
