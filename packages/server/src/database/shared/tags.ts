import { foldTag } from '../../domain/tags.ts'
import type { Tag } from '../tag-data.ts'
import { fromJson, type Json } from './rows.ts'

/** A tag, and the tags of its oldest ready asset. */
export interface TagRow {
  tag: string
  assets: number
  tags: Json<string[]> | null
  search_tags: Json<string[]> | null
}

export function toTag({ tag, assets, tags, search_tags }: TagRow): Tag {
  const position = fromJson(search_tags ?? []).indexOf(tag)
  return { name: fromJson(tags ?? [])[position] ?? tag, assets, folded: tag }
}

/** The tags that were added to an asset or removed from it. */
export function toChangedTags(asset: { id: string; before: string[]; tags: string[] }) {
  const { id, before, tags } = asset
  const [more, fewer] = tags.length > before.length ? [tags, before] : [before, tags]
  const kept = new Set(fewer.map(foldTag))
  return { id, tags: more.filter((tag) => !kept.has(foldTag(tag))) }
}
