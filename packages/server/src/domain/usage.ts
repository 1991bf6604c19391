/** The bytes that an account’s plan allows, and those in use. */
export interface Usage {
  limit: number
  stored: number
  reserved: number
}

export interface Plan {
  name: string
  storage: number
  /** Null: any number. Undefined: the limit stays as it is. */
  assets?: number | null | undefined
}

/** The number of assets that an account’s plan allows, and how many ready assets and unfinished uploads it has. */
export interface AssetRoom {
  limit: number
  used: number
}

/** The plan does not allow this many more assets. Nothing was stored. */
export interface AssetsExceeded {
  outcome: 'assets_exceeded'
  needed: number
  room: AssetRoom
}

/** Never negative, even if the plan was reduced below the stored bytes. */
export function availableBytes(usage: Usage): number {
  return Math.max(0, usage.limit - usage.stored - usage.reserved)
}

/** The type of an asset for display. A `link` uses no bytes. */
type AssetType = 'image' | 'video' | 'audio' | 'document' | 'archive' | 'other' | 'link'

/** The usage of one type: its ready assets, and the bytes of these assets and of older versions. */
export interface TypeUsage {
  type: AssetType
  bytes: number
  assets: number
}
