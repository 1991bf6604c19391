/** The type of an asset for display. A `link` uses no bytes. */
export type AssetType = 'image' | 'video' | 'audio' | 'document' | 'archive' | 'other' | 'link'

/** The usage of the ready assets of one type. */
export interface TypeUsage {
  type: AssetType
  bytes: number
  assets: number
}
