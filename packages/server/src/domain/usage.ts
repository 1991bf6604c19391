/** The type of an asset for display. A `link` uses no bytes. */
export type AssetType = 'image' | 'video' | 'audio' | 'document' | 'archive' | 'other' | 'link'

/** The usage of one type: its ready assets, and the bytes of these assets and of older versions. */
export interface TypeUsage {
  type: AssetType
  bytes: number
  assets: number
}
