import type { PageRequest } from '../domain/paging.ts'

export interface TagQuery extends PageRequest {
  /** Returns the next `perPage` tags after this folded one, and ignores `page`. */
  after?: string
  /** Part of the tag, folded by `foldText`. */
  name?: string
}

/** A tag of ready assets. */
export interface Tag {
  /** As its oldest ready asset spells it. */
  name: string
  /** The number of its ready assets. */
  assets: number
  /** The name as it is compared and sorted. */
  folded: string
}

/** The outcome for several assets. Either all of them changed, or none. */
export type TagOutcome =
  /** The assets whose tags are different now, and the tags that were added or removed. */
  | { outcome: 'done'; changed: { id: string; tags: string[] }[] }
  | { outcome: 'assets_not_found'; unknown: string[] }
  /** These assets would have more than `MAX_ASSET_TAGS` tags. */
  | { outcome: 'assets_full'; ids: string[] }
  /** The ready assets of the account would have more than `MAX_ACCOUNT_TAGS` different tags. */
  | { outcome: 'too_many_tags' }

/** The tags of one account. The IDs of a call differ from each other, and its tags are normalized. */
export interface TagData {
  /** Adds the tags to these assets. A tag that an asset has already keeps its spelling. Idempotent. */
  tagAssets(assetIds: string[], tags: string[]): Promise<TagOutcome>
  /** Removes the tags from these assets, in any spelling. Idempotent. */
  untagAssets(assetIds: string[], tags: string[]): Promise<TagOutcome>
  /** The tags of ready assets, by their folded names. At most the first `MAX_LISTED_TAGS` are read. */
  listTags(query: TagQuery): Promise<{ rows: Tag[]; total: number }>
}

/**
 * An account can have more than `MAX_ACCOUNT_TAGS` tags, as uploads that are completed, and assets that are restored from
 * the trash, keep their tags.
 */
export const MAX_LISTED_TAGS = 20_000
