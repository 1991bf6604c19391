import type { AssetStatus } from '../../domain/asset.ts'
import type { AssetState } from '../database.ts'

/** A row of `readStates`. Its ID is the key of the object. */
export interface StateRow {
  id: string
  status: AssetStatus | 'superseded'
  storage_id: string | null
}

export function toState({ status, storage_id }: StateRow): AssetState {
  const isSuperseded = status === 'superseded'
  return {
    status: isSuperseded ? 'deleted' : status,
    isSuperseded,
    storageId: storage_id ?? undefined,
  }
}

/** The status, or `resized` if the upload is unfinished and its size is not the expected one. */
export function statusOrResized(
  row: { status: AssetStatus; bytes: number } | undefined,
  expectedBytes: number | undefined,
): AssetStatus | 'resized' | undefined {
  if (row === undefined || row.bytes === (expectedBytes ?? row.bytes)) return row?.status
  return row.status === 'uploading' || row.status === 'completing' ? 'resized' : row.status
}

/** Converts attached rows and groups them by the row that they are attached to. */
export function groupByOwner<Row extends { owner_id: string }, Value>(
  rows: Row[],
  convert: (row: Row) => Value,
): Map<string, Value[]> {
  const groups = Map.groupBy(rows, (row) => row.owner_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(convert)]))
}
