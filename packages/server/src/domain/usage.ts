/** The bytes that an account’s plan allows, and those in use. */
export interface Usage {
  limit: number
  stored: number
  reserved: number
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
