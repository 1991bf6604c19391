/** What people call the kind of a file. `link` is an address, which takes no bytes. */
export type AssetType = 'image' | 'video' | 'audio' | 'document' | 'archive' | 'other' | 'link'

/** What the ready assets of one type take. */
export interface TypeUsage {
  type: AssetType
  bytes: number
  assets: number
}
