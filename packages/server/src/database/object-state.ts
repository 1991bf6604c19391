import type { AssetStatus } from '../domain/asset.ts'
import type { AssetState } from './database.ts'

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
